//! What programs take as secrets: `sshpass -p SECRET`, `curl -u USER:SECRET`.
//!
//! ```text
//! -pSECRET  -p SECRET  --password=SECRET  --password SECRET  -sSu USER:SECRET
//! systemd.run='curl -u USER:SECRET'         a line inside quotes
//! ```

use std::ops::Range;

use crate::syntax::words;

/// Programs and their options that take a secret, and whether the secret may be the next word.
const OPTIONS: &[(&[&str], &[&str], bool)] = &[
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

/// Returns where the secrets of the programs in a line stand; the line may go on after a backslash.
pub(crate) fn of_options(line: &str) -> Vec<Range<usize>> {
    let is_word = |word: &Range<usize>| !line[word.clone()].chars().all(|c| "\\#".contains(c));
    let words: Vec<_> = words(line).into_iter().filter(is_word).collect();
    let mut found = Vec::new();
    for (at, word) in words.iter().enumerate() {
        let text = &line[word.clone()];
        found.extend(
            inside(text)
                .map(|inner| shifted(word.start, inner, text))
                .into_iter()
                .flatten(),
        );
        let name = text.trim_matches(['"', '\'', '(', '`', '$']);
        let name = name.rsplit(['/', '"', '\'', '=']).next();
        let taken = |name: &str| {
            OPTIONS
                .iter()
                .find(|(programs, ..)| programs.contains(&name))
        };
        let Some((programs, options, may_follow)) = name.and_then(taken) else {
            continue;
        };
        found.extend(values(line, &words[at + 1..], options, *may_follow));
        if programs.contains(&"curl") {
            found.extend(proxies(line, &words[at + 1..]));
        }
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

fn shifted(start: usize, inner: Range<usize>, word: &str) -> Vec<Range<usize>> {
    let by = start + inner.start;
    let found = of_options(&word[inner]).into_iter();
    found
        .map(|range| range.start + by..range.end + by)
        .collect()
}

fn values(
    line: &str,
    words: &[Range<usize>],
    options: &[&str],
    may_follow: bool,
) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    for (at, word) in words.iter().enumerate() {
        for option in options {
            let text = &line[word.clone()];
            let is_long = option.starts_with("--");
            if may_follow && (text == *option || is_cluster(text, option)) {
                found.extend(words.get(at + 1).cloned());
            } else if let Some(attached) = text.strip_prefix(option) {
                match attached.strip_prefix('=') {
                    Some(value) => found.push(word.end - value.len()..word.end),
                    None if is_long || attached.is_empty() => {}
                    None => found.push(word.start + option.len()..word.end),
                }
            }
        }
    }
    found
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

fn proxies(line: &str, words: &[Range<usize>]) -> Vec<Range<usize>> {
    let pairs = words.windows(2).filter_map(|two| {
        let is_proxy = PROXIES.contains(&&line[two[0].clone()]);
        user_of(&line[two[1].clone()])
            .filter(|_| is_proxy)
            .map(|user| two[1].start + user.start..two[1].start + user.end)
    });
    pairs.collect()
}

/// Returns where the user and the secret stand in `USER:SECRET@HOST`.
pub(crate) fn user_of(address: &str) -> Option<Range<usize>> {
    let end = address.rfind('@').filter(|_| !address.contains("://"))?;
    let start = address.len() - address.trim_start_matches(['"', '\'']).len();
    address[..end].contains(':').then_some(start..end)
}
