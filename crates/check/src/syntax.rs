//! Secrets by the syntax of the file or command that holds them, where a name alone does not tell.
//!
//! ```text
//! fstab(5), mount.cifs(8)    //nas/x /mnt cifs user=a%SECRET,credentials=/etc/nas 0 0
//! dracut.cmdline(7)          netroot=iscsi:a:SECRET:b:SECRET@10.0.0.1::3260:1:iqn.2003-01.org:x
//! smartd.conf(5)             /dev/sda -m <nomailer> -M exec /usr/local/bin/tell
//! mdadm.conf(5)              PROGRAM /usr/bin/curl SECRET
//! zfs-get(8)                 tank  org.example:password  SECRET  local
//! crypttab(5)                cr_a  /dev/sdb1  SECRET  luks,keyscript=/usr/local/sbin/unlock
//! systemd-run(1)             run-u12.service loaded active running /usr/bin/x SECRET
//! ap_expr of Apache          Require expr "%{HTTP:X-Key} == 'SECRET'"
//! ```
//!
//! A line is a line of the file's syntax: a backslash at its end, or for mdadm.conf a space at the
//! start of the next, makes it go on.

use std::ops::Range;

use crate::look::is_path_of_key;
use crate::options::of_options;
use crate::redact::{REDACTED, is_secret_name};

/// How lines of a file or the output of a command are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Syntax {
    /// Options of mounts: `/etc/fstab`, `/proc/mounts`.
    Mounts,
    /// `/etc/crypttab`.
    Crypttab,
    /// Parameters of the kernel.
    Boot,
    /// `-M exec`.
    Smartd,
    /// `PROGRAM`, then a program with arguments.
    Mdadm,
    /// Settings whose values are commands.
    Commands,
    /// Columns of `zfs get`.
    Zfs,
    /// Units and their descriptions.
    Units,
    /// Expressions of Apache.
    Apache,
    /// Options of QEMU.
    Qemu,
    /// Nothing but what the names tell.
    Plain,
}

const MOUNTS: [&str; 2] = ["/etc/fstab", "/proc/mounts"];
const COMMAND_FILES: [&str; 3] = [
    "/etc/default/mdadm",
    "/etc/nut/upsmon.conf",
    "/etc/ups/upsmon.conf",
];

fn syntax_of(source: &str) -> Syntax {
    match source {
        "/proc/cmdline" | "/etc/default/grub" => Syntax::Boot,
        source if source.starts_with("/etc/default/grub.d/") => Syntax::Boot,
        source if source.starts_with("/etc/mdadm") && source.ends_with(".conf") => Syntax::Mdadm,
        "/etc/smartd.conf" | "/etc/smartmontools/smartd.conf" => Syntax::Smartd,
        "/etc/crypttab" => Syntax::Crypttab,
        source if MOUNTS.contains(&source) => Syntax::Mounts,
        source if COMMAND_FILES.contains(&source) => Syntax::Commands,
        source if source.starts_with("zfs get") => Syntax::Zfs,
        source if source.starts_with("systemctl list-units") => Syntax::Units,
        source
            if ["/etc/apache2/", "/etc/httpd/"]
                .iter()
                .any(|start| source.starts_with(start))
                || source.ends_with("/.htaccess") =>
        {
            Syntax::Apache
        }
        source if source.starts_with("/proc/") && source.ends_with("/cmdline") => Syntax::Qemu,
        _ => Syntax::Plain,
    }
}

/// Returns whether a comma ends a value in a file or output.
pub(crate) fn has_lists(source: &str) -> bool {
    let syntax = syntax_of(source);
    matches!(syntax, Syntax::Mounts | Syntax::Crypttab | Syntax::Qemu)
}

/// Returns the text of a file, named by its path, or of a command, named by its line, without the
/// secrets that its syntax tells, and without those that programs take in it.
pub(crate) fn by_syntax(source: &str, text: &str) -> String {
    let syntax = syntax_of(source);
    let clean = line_by_line(text, syntax, |line| of_line(line, syntax));
    // Shells and comments continue commands in every file.
    line_by_line(&clean, Syntax::Plain, of_options)
}

/// Returns a text without the secrets that a function finds in each line of a syntax.
fn line_by_line(text: &str, syntax: Syntax, secrets: impl Fn(&str) -> Vec<Range<usize>>) -> String {
    let mut clean = String::with_capacity(text.len());
    for whole in logical_lines(text, syntax) {
        let line = whole.strip_suffix('\n').unwrap_or(whole);
        clean.push_str(&without(line, secrets(line)));
        clean.push_str(&whole[line.len()..]);
    }
    clean
}

fn of_line(line: &str, syntax: Syntax) -> Vec<Range<usize>> {
    match syntax {
        Syntax::Mounts => of_mount(line),
        Syntax::Crypttab => [of_mount(line), of_crypttab(line)].concat(),
        Syntax::Boot => of_boot(line),
        Syntax::Smartd => of_smartd(line),
        Syntax::Mdadm if is_program(line) => of_program(line),
        Syntax::Commands => of_monitor(line)
            .into_iter()
            .chain(of_commands(line))
            .collect(),
        Syntax::Zfs => of_zfs(line),
        Syntax::Units => of_unit(line),
        Syntax::Apache => of_expression(line),
        Syntax::Mdadm | Syntax::Qemu | Syntax::Plain => Vec::new(),
    }
}

/// Returns the lines of a text, each with those that continue it.
fn logical_lines(text: &str, syntax: Syntax) -> Vec<&str> {
    let (mut found, mut start, mut end) = (Vec::new(), 0, 0);
    let mut lines = text.split_inclusive('\n').peekable();
    // Tables have one row a line, whatever its end.
    let has_rows = matches!(
        syntax,
        Syntax::Zfs | Syntax::Units | Syntax::Mounts | Syntax::Crypttab
    );
    while let Some(line) = lines.next() {
        end += line.len();
        let goes_on = line.trim_end().ends_with('\\');
        let continues = |next: &&str| next.starts_with([' ', '\t']) && !next.trim().is_empty();
        let is_indented = syntax == Syntax::Mdadm && lines.peek().is_some_and(continues);
        if has_rows || !(goes_on || is_indented) {
            found.push(&text[start..end]);
            start = end;
        }
    }
    if start < end {
        found.push(&text[start..end]);
    }
    found
}

/// Returns whether a line of mdadm.conf names a program; a keyword may be cut to its first three
/// letters.
fn is_program(line: &str) -> bool {
    let first = uncommented(line).next().map(|word| &line[word]);
    let first = first.unwrap_or_default().trim_start_matches('#');
    first.len() >= 3 && "program".starts_with(&first.to_ascii_lowercase())
}

/// Returns a line with a mark in place of each range.
fn without(line: &str, mut ranges: Vec<Range<usize>>) -> String {
    ranges.sort_by_key(|range| range.start);
    let (mut clean, mut done) = (String::new(), 0);
    for range in ranges {
        if range.start >= done && !range.is_empty() {
            clean.push_str(&line[done..range.start]);
            clean.push_str(REDACTED);
            done = range.end;
        }
    }
    clean + &line[done..]
}

/// Returns the words of a line; quotes and backslashes keep a word together.
pub(crate) fn words(line: &str) -> Vec<Range<usize>> {
    let (mut found, mut start, mut quote, mut is_escaped) = (Vec::new(), None, None, false);
    for (at, c) in line.char_indices() {
        let is_space = c.is_whitespace() && quote.is_none() && (!is_escaped || c == '\n');
        match (is_space, start) {
            (true, Some(from)) => {
                found.push(from..at);
                start = None;
            }
            (false, None) => start = Some(at),
            _ => {}
        }
        quote = match quote {
            _ if is_escaped => quote,
            Some(open) if open == c => None,
            None if matches!(c, '"' | '\'') => Some(c),
            quote => quote,
        };
        is_escaped = c == '\\' && !is_escaped && quote != Some('\'');
    }
    found.extend(start.map(|from| from..line.len()));
    found
}

/// Returns the words of a line, without the marks of a comment before them.
fn uncommented(line: &str) -> impl Iterator<Item = Range<usize>> {
    let is_mark = |word: &Range<usize>| line[word.clone()].chars().all(|c| c == '#');
    words(line).into_iter().skip_while(is_mark)
}

/// Options whose value is a user, a mark and a password, and the mark: mount.cifs(8) and
/// curlftpfs(1).
const USERS: [(&str, char); 5] = [
    ("user", '%'),
    ("username", '%'),
    ("user", ':'),
    ("username", ':'),
    ("proxy_user", ':'),
];
/// Options whose value is a program with arguments: sshfs(1), gocryptfs(1), encfs(1).
const COMMANDS: [&str; 4] = ["ssh_command", "sftp_server", "extpass", "--extpass"];

fn of_mount(line: &str) -> Vec<Range<usize>> {
    let (mut found, mut seen) = (Vec::new(), std::collections::BTreeSet::new());
    for word in line.split(char::is_whitespace) {
        let mut at = offset(line, word);
        // `//user:SECRET@nas/share`, `curlftpfs#user:SECRET@host`.
        let after = word
            .find("//")
            .map(|at| at + 2)
            .or(word.find('#').map(|at| at + 1));
        if let Some(from) = after.filter(|_| !word.contains("://") && !word.contains(','))
            && let Some(end) = word[from..].find('@')
            && let Some(colon) = word[from..from + end].find([':', '%'])
        {
            found.push(at + from + colon + 1..at + from + end);
        }
        for option in word.split(',') {
            if let Some((name, value)) = option.split_once('=') {
                let start = at + name.len() + 1;
                let mark = USERS.iter().filter(|(user, _)| *user == name);
                let mark = mark.filter_map(|(_, mark)| value.find(*mark)).min();
                found.extend(mark.map(|mark| start + mark + 1..at + option.len()));
                if COMMANDS.contains(&name) {
                    let program = value.split(['\\', ' ', '#']).next().unwrap_or_default();
                    let is_argument = !seen.insert(name);
                    let kept = if is_argument { 0 } else { program.len() };
                    found.push(start + kept..at + option.len());
                }
            }
            // RFC 7512: `pkcs11:token=x;pin-value=SECRET`.
            if let Some(pin) = option.find("pin-value=").map(|at| at + 10) {
                let end = option[pin..].find([';', '&']).unwrap_or(option.len() - pin);
                found.push(at + pin..at + pin + end);
            }
            at += option.len() + 1;
        }
    }
    found
}

/// Returns where a part of a line begins.
fn offset(line: &str, part: &str) -> usize {
    part.as_ptr() as usize - line.as_ptr() as usize
}

fn of_boot(line: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    for word in line.split(|c: char| c.is_whitespace() || matches!(c, '"' | '\'')) {
        let at = offset(line, word);
        for scheme in ["iscsi:", "cifs:", "nbd:", "ftp:"] {
            if let (Some(from), Some(end)) = (word.find(scheme), word.rfind('@')) {
                let from = from + scheme.len();
                let from = from + word[from..].len() - word[from..].trim_start_matches('/').len();
                found.extend((from < end).then_some(at + from..at + end));
            }
        }
        let Some((name, value)) = word.split_once('=') else {
            continue;
        };
        let start = at + name.len() + 1;
        let plain: String = name.chars().filter(|c| !".-_".contains(*c)).collect();
        if name.starts_with("systemd.set_credential") {
            let named = value.find(':').map_or(0, |colon| colon + 1);
            found.push(start + named..at + word.len());
        } else if is_boot_secret(&plain.to_ascii_lowercase()) {
            // A comma ends no parameter.
            found.push(start..at + word.len());
        }
    }
    found.extend(of_device_table(line));
    found
}

/// Returns whether a parameter, in small letters and without marks, holds a secret: linuxrc reads
/// `S.Shp-AsSw._.orD` as `sshpassword`.
fn is_boot_secret(plain: &str) -> bool {
    let ends = [
        "password",
        "passwordagain",
        "sshpw",
        "passphrase",
        "cifspass",
    ];
    let starts = ["wlankey", "wlanpsk"];
    ends.iter().any(|end| plain.ends_with(end))
        || starts.iter().any(|start| plain.starts_with(start))
        || plain.contains("wirelesswep")
        || plain.contains("wirelesswpa")
}

/// Redacts the key of a mapped device in `dm-mod.create=`: `crypt CIPHER KEY OFFSET DEVICE`. A key
/// that begins with a colon is the name of one in the kernel's keyring.
fn of_device_table(line: &str) -> Option<Range<usize>> {
    let split = |c: char| c.is_whitespace() || matches!(c, '"' | '\'');
    let words: Vec<&str> = line.split(split).filter(|word| !word.is_empty()).collect();
    let at = words.iter().position(|word| *word == "crypt")?;
    let key = words.get(at + 2).filter(|key| !key.starts_with(':'))?;
    let start = offset(line, key);
    line.contains("dm-mod.create")
        .then_some(start..start + key.len())
}

/// The scripts of the package cryptsetup, and where they are: their argument is a name or a path.
const KEY_SCRIPTS: [&str; 8] = [
    "decrypt_derived",
    "decrypt_gnupg",
    "decrypt_gnupg-sc",
    "decrypt_keyctl",
    "decrypt_opensc",
    "decrypt_openct",
    "decrypt_ssl",
    "passdev",
];
const KEY_SCRIPT_FOLDERS: [&str; 3] = [
    "",
    "/lib/cryptsetup/scripts/",
    "/usr/lib/cryptsetup/scripts/",
];

/// Redacts the third field of crypttab(5) if a script of the host gets it, and it is no path of a
/// file.
fn of_crypttab(line: &str) -> Vec<Range<usize>> {
    let row = line.trim_start_matches(['#', ' ']);
    let (fields, by) = (words(row), line.len() - row.len());
    let [_, _, key, options, ..] = &fields[..] else {
        return Vec::new();
    };
    let text = |field: &Range<usize>| &line[field.start + by..field.end + by];
    let mut options = text(options).split(',');
    let script = options.find_map(|option| option.strip_prefix("keyscript="));
    let is_own = script.is_some_and(|script| {
        let name = script.rsplit('/').next().unwrap_or_default();
        let folder = &script[..script.len() - name.len()];
        !KEY_SCRIPTS.contains(&name) || !KEY_SCRIPT_FOLDERS.contains(&folder)
    });
    let is_plain = is_path_of_key(text(key)) || ["none", "-"].contains(&text(key));
    match is_own && !is_plain {
        true => std::iter::once(key.start + by..key.end + by).collect(),
        false => Vec::new(),
    }
}

/// Redacts the arguments in the description of a transient unit, which is its command.
fn of_unit(line: &str) -> Vec<Range<usize>> {
    let is_mark = |word: &Range<usize>| ["●", "*", "○", "×"].contains(&&line[word.clone()]);
    let words: Vec<_> = words(line).into_iter().skip_while(is_mark).collect();
    let Some((name, kind)) = words
        .first()
        .and_then(|name| line[name.clone()].rsplit_once('.'))
    else {
        return Vec::new();
    };
    let id = name.strip_prefix("run-").unwrap_or_default();
    let is_digit = |c: char| c.is_ascii_hexdigit() || matches!(c, '-' | 'i');
    let is_drawn = id.starts_with(['r', 'u', 'p']) && id[1..].chars().all(is_digit);
    if !is_drawn || kind == "mount" || words.len() < 5 {
        return Vec::new();
    }
    let is_tag = line[words[4].clone()].starts_with('[');
    let arguments = words.get(5 + usize::from(is_tag));
    arguments
        .map(|first| first.start..line.trim_end().len())
        .into_iter()
        .collect()
}

/// What a request holds of secrets, in the expressions of Apache.
const REQUEST: [&str; 5] = ["HTTP:", "HTTP_COOKIE", "QUERY_STRING", "req", "http("];

/// Redacts what an expression compares a header, a cookie or a query with.
fn of_expression(line: &str) -> Vec<Range<usize>> {
    let lower = line.trim_start().to_ascii_lowercase();
    let starts = ["require expr", "<if", "<elseif"];
    if !starts.iter().any(|start| lower.starts_with(start)) {
        return Vec::new();
    }
    let mut found = Vec::new();
    for comparison in line.split("&&").flat_map(|part| part.split("||")) {
        let operators = ["==", "!=", "=~", "!~", "-strmatch", "-eq", " in "];
        let first = operators
            .iter()
            .filter_map(|one| Some((comparison.find(one)?, one.len())));
        let Some((at, length)) = first.min() else {
            continue;
        };
        if !REQUEST.iter().any(|name| comparison[..at].contains(name)) {
            continue;
        }
        let right = comparison[at + length..].trim_start();
        let start = offset(line, right);
        let mark = right.chars().next().unwrap_or_default();
        let inner = match mark {
            '{' => right.rfind('}').map(|end| 1..end),
            '"' | '\'' | '/' => right.rfind(mark).filter(|end| *end > 0).map(|end| 1..end),
            _ => right.find([' ', '"', '>']).map(|end| 0..end),
        };
        let inner = inner.unwrap_or(0..right.len());
        found.push(start + inner.start..start + inner.end);
    }
    found
}

/// Redacts what follows the program of `-M exec`.
fn of_smartd(line: &str) -> Vec<Range<usize>> {
    let words = words(line).into_iter();
    let words: Vec<_> = words.filter(|word| &line[word.clone()] != "\\").collect();
    let mut found = Vec::new();
    for (at, word) in words.iter().enumerate() {
        let before = at.checked_sub(1).map(|at| &line[words[at].clone()]);
        if &line[word.clone()] == "exec" && before == Some("-M") {
            let Some(program) = words.get(at + 1) else {
                continue;
            };
            found.extend(arguments(line, program.clone()));
            // A directive or a comment ends what may be arguments.
            let rest = words[at + 2..].iter().take_while(|word| {
                let word = &line[(*word).clone()];
                !is_directive(word) && !word.starts_with('#')
            });
            found.extend(rest.cloned());
        }
    }
    found
}

/// Returns whether a word is a directive of smartd.conf(5).
fn is_directive(word: &str) -> bool {
    let letter = word.strip_prefix('-').filter(|letter| letter.len() == 1);
    letter.is_some_and(|letter| "adFvTPSmMnosHlhefptriRICUW".contains(letter))
}

/// Returns the arguments in a word that is a program, quoted if it has arguments.
fn arguments(line: &str, word: Range<usize>) -> Option<Range<usize>> {
    let text = &line[word.clone()];
    let inner = text.trim_matches(['"', '\'']);
    let start = offset(line, inner);
    // A program is a path or a plain name; all else is its arguments.
    let program = inner.split(char::is_whitespace).next().unwrap_or_default();
    let is_plain = !program.contains(['=', ':', '?', '@']);
    let kept = if is_plain { program.len() } else { 0 };
    Some(start + kept..start + inner.len()).filter(|range| !range.is_empty())
}

/// Redacts all that follows the program in `PROGRAM /x arguments`.
fn of_program(line: &str) -> Vec<Range<usize>> {
    let mut rest = uncommented(line).skip(1);
    let Some(program) = rest.next() else {
        return Vec::new();
    };
    let found = arguments(line, program);
    found.into_iter().chain(rest).collect()
}

/// Redacts the password in NUT's `MONITOR ups@host 1 user password primary` (upsmon.conf(5)).
fn of_monitor(line: &str) -> Option<Range<usize>> {
    let mut words = uncommented(line);
    let keyword = words.next()?;
    let is_monitor = line[keyword].eq_ignore_ascii_case("monitor");
    words.nth(3).filter(|_| is_monitor)
}

/// Redacts values of options of a program in other settings: `SHUTDOWNCMD "/sbin/x -p SECRET"`,
/// `DAEMON_OPTIONS="--syslog --program 'x SECRET'"`.
fn of_commands(line: &str) -> Vec<Range<usize>> {
    // In a comment, only a setting is one.
    let setting = line
        .trim_start_matches(['#', ' ', '\t'])
        .to_ascii_lowercase();
    let is_comment = line.trim_start().starts_with('#');
    let names = ["shutdowncmd", "notifycmd", "daemon_options"];
    let value = names.iter().find_map(|name| setting.strip_prefix(name));
    let is_command = value.is_some_and(|value| !is_comment || value.starts_with('='));
    if !is_command {
        return Vec::new();
    }
    let mut found = Vec::new();
    let mut previous = "";
    let split = |c: char| c.is_whitespace() || matches!(c, '"' | '\'');
    let mut parts = line
        .split(split)
        .filter(|word| !word.chars().all(|c| "#\\".contains(c)));
    parts.next();
    for word in parts {
        if !is_harmless(word, previous) {
            let at = offset(line, word);
            found.push(at..at + word.len());
        }
        previous = word;
    }
    found
}

/// Returns whether an argument holds no secret: `-h`, `+0`, `now`, `--syslog`, a path that is no
/// option's value.
fn is_harmless(word: &str, previous: &str) -> bool {
    let is_number = |text: &str| text.len() <= 2 && text.chars().all(|c| c.is_ascii_digit());
    let is_name = |text: &str| text.chars().all(|c| c.is_ascii_lowercase() || c == '-');
    match word.strip_prefix('-') {
        Some(letter) if letter.len() == 1 => true,
        Some(long) if long.starts_with('-') => is_name(long),
        Some(_) => false,
        None => {
            matches!(word, "now" | "|" | "&&" | ";")
                || is_number(word.trim_start_matches('+'))
                || (word.starts_with('/') && !previous.starts_with('-'))
        }
    }
}

/// Redacts the values of user properties with the name of a secret.
fn of_zfs(line: &str) -> Vec<Range<usize>> {
    let words = words(line);
    let (Some(property), Some(value)) = (words.get(1), words.get(2)) else {
        return Vec::new();
    };
    let name = &line[property.clone()];
    let Some((_, name)) = name.split_once(':') else {
        return Vec::new();
    };
    let last = if words.len() > 3 { words.len() - 2 } else { 2 };
    match is_secret_name(name) {
        true => std::iter::once(value.start..words[last].end).collect(),
        false => Vec::new(),
    }
}
