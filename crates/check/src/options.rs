//! What programs take as secrets: `sshpass -p SECRET`, `curl -u USER:SECRET`.
//!
//! ```text
//! -pSECRET  -p SECRET  --password=SECRET  --password SECRET  -sSu USER:SECRET
//! systemd.run='curl -u USER:SECRET'         a line inside quotes
//! ```

use std::ops::Range;

use crate::syntax::words;

/// Programs, their options that take a secret, and whether the secret may be the next word.
type Takes = (&'static [&'static str], &'static [&'static str], bool);
const OPTIONS: &[Takes] = &[
    (&["sshpass"], &["-p"], true),
    (
        &["curl"],
        &[
            "-u",
            "--user",
            "-U",
            "--proxy-user",
            "--oauth2-bearer",
            "-E",
            "--cert",
            "--proxy-cert",
            "--pass",
            "--proxy-pass",
            "--tlspassword",
            "--proxy-tlspassword",
            "-b",
            "--cookie",
        ],
        true,
    ),
    (
        &[
            "mysql",
            "mysqldump",
            "mysqladmin",
            "mariadb",
            "mariadb-dump",
            "mariadb-admin",
        ],
        &["-p"],
        false,
    ),
    (
        &["ldapsearch", "ldapmodify", "ldapadd", "ldapwhoami"],
        &["-w"],
        true,
    ),
    (
        &["smbclient", "rpcclient", "net"],
        &["-U", "--user", "--password"],
        true,
    ),
    (&["ipmitool"], &["-P", "-k", "-y"], true),
    (
        &[
            "snmpget",
            "snmpgetnext",
            "snmpwalk",
            "snmpbulkwalk",
            "snmpset",
            "snmptrap",
            "snmpinform",
        ],
        &["-c", "-A", "-X", "-3m", "-3M", "-3k", "-3K"],
        true,
    ),
    (&["redis-cli"], &["-a"], true),
    (
        &["mosquitto_pub", "mosquitto_sub"],
        &["-P", "--pw", "--psk"],
        true,
    ),
    (&["upscmd", "upsrw", "docker", "podman"], &["-p"], true),
    (&["openssl"], &["-k", "-K"], true),
    (&["swaks"], &["-ap", "--auth-password"], true),
    (&["http", "https"], &["-a", "--auth"], true),
    (&["lftp"], &["-u"], true),
    (&["7z", "7za", "7zr"], &["-p"], false),
    (&["zip"], &["-P", "--password"], true),
];
/// Options whose value may be `USER:SECRET@HOST`, without a scheme.
const PROXIES: [&str; 3] = ["-x", "--proxy", "--preproxy"];

/// How deep quotes are looked into: a shell in a setting, and a command in it.
const DEPTH_MAX: usize = 3;

/// Returns where the secrets of the programs in a line stand; the line may go on after a backslash.
pub(crate) fn of_options(line: &str) -> Vec<Range<usize>> {
    of_options_within(line, DEPTH_MAX)
}

fn of_options_within(line: &str, depth: usize) -> Vec<Range<usize>> {
    let is_word = |word: &Range<usize>| !line[word.clone()].chars().all(|c| "\\#".contains(c));
    let words: Vec<_> = words(line).into_iter().filter(is_word).collect();
    let mut found = Vec::new();
    // Each word is compared once with the options of the programs before it.
    let mut named: Vec<&Takes> = Vec::new();
    for (at, word) in words.iter().enumerate() {
        let text = &line[word.clone()];
        if let Some(inner) = inside(text).filter(|_| depth > 0) {
            let by = word.start + inner.start;
            let inner = of_options_within(&text[inner], depth - 1).into_iter();
            found.extend(inner.map(|range| range.start + by..range.end + by));
        }
        for takes in &named {
            found.extend(value_of(line, &words[at..], takes));
        }
        let name = text.trim_matches(['"', '\'', '(', '`', '$']);
        let name = name
            .rsplit(['/', '"', '\'', '='])
            .next()
            .unwrap_or_default();
        let takes = OPTIONS.iter().find(|takes| takes.0.contains(&name));
        let is_new = |takes: &&Takes| !named.iter().any(|known| known.0 == takes.0);
        named.extend(takes.filter(is_new));
    }
    found
}

/// Returns where a line stands that is inside the quotes of a word.
fn inside(word: &str) -> Option<Range<usize>> {
    let start = word.find(['"', '\''])?;
    let quote = word[start..].chars().next()?;
    let end = word
        .rfind(quote)
        .filter(|end| *end > start)
        .unwrap_or(word.len());
    let inner = start + 1..end;
    word[inner.clone()]
        .contains(char::is_whitespace)
        .then_some(inner)
}

/// Returns where the secret of the first word stands, if it is an option that takes one.
fn value_of(line: &str, words: &[Range<usize>], takes: &Takes) -> Option<Range<usize>> {
    let (programs, options, may_follow) = takes;
    let (word, next) = (words.first()?, words.get(1));
    let text = &line[word.clone()];
    if programs.contains(&"curl") && PROXIES.contains(&text) {
        let user = user_of(&line[next?.clone()])?;
        return Some(next?.start + user.start..next?.start + user.end);
    }
    options.iter().find_map(|option| {
        if *may_follow && (text == *option || is_cluster(text, option)) {
            return next.cloned();
        }
        let attached = text.strip_prefix(option)?;
        let is_long = option.starts_with("--");
        match attached.strip_prefix('=') {
            Some(value) => Some(word.end - value.len()..word.end),
            None if is_long || attached.is_empty() => None,
            None => Some(word.start + option.len()..word.end),
        }
    })
}

/// Returns whether the last of several letters is an option: `-sSu` ends with `-u`.
fn is_cluster(text: &str, option: &str) -> bool {
    let letters = text.strip_prefix('-').unwrap_or_default();
    let letter = option.strip_prefix('-').filter(|letter| letter.len() == 1);
    letter.is_some_and(|letter| {
        letters.len() <= 6
            && letters.ends_with(letter)
            && letters.chars().all(|c| c.is_ascii_alphabetic())
    })
}

/// Returns where the user and the secret stand in `USER:SECRET@HOST`.
pub(crate) fn user_of(address: &str) -> Option<Range<usize>> {
    let end = address.rfind('@').filter(|_| !address.contains("://"))?;
    let start = address.len() - address.trim_start_matches(['"', '\'']).len();
    address[..end].contains(':').then_some(start..end)
}
