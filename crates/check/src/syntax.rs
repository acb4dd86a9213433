//! Secrets by the syntax of the file or command that holds them, where a name alone does not tell.
//!
//! ```text
//! fstab(5), mount.cifs(8)    //nas/x /mnt cifs user=a%SECRET,credentials=/etc/nas 0 0
//! dracut.cmdline(7)          netroot=iscsi:a:SECRET:b:SECRET@10.0.0.1::3260:1:iqn.2003-01.org:x
//! smartd.conf(5)             /dev/sda -m <nomailer> -M exec /usr/local/bin/tell
//! mdadm.conf(5)              PROGRAM /usr/bin/curl SECRET
//! zfs-get(8)                 tank  org.example:password  SECRET  local
//! ```

use std::ops::Range;

use crate::redact::REDACTED;

/// How lines of a file or the output of a command are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Syntax {
    /// Options of mounts: `/etc/fstab`, `/proc/mounts`, `/etc/crypttab`.
    Mounts,
    /// Parameters of the kernel.
    Boot,
    /// `-M exec`.
    Smartd,
    /// A name, then a program with arguments.
    Programs,
    /// Columns of `zfs get`.
    Zfs,
    /// Nothing but what the names tell.
    Plain,
}

const MOUNTS: [&str; 3] = ["/etc/fstab", "/proc/mounts", "/etc/crypttab"];
const PROGRAMS: [&str; 5] = [
    "/etc/mdadm.conf",
    "/etc/mdadm/mdadm.conf",
    "/etc/default/mdadm",
    "/etc/nut/upsmon.conf",
    "/etc/ups/upsmon.conf",
];

fn syntax_of(source: &str) -> Syntax {
    match source {
        "/proc/cmdline" | "/etc/default/grub" => Syntax::Boot,
        "/etc/smartd.conf" => Syntax::Smartd,
        source if MOUNTS.contains(&source) => Syntax::Mounts,
        source if PROGRAMS.contains(&source) => Syntax::Programs,
        source if source.starts_with("zfs get") => Syntax::Zfs,
        _ => Syntax::Plain,
    }
}

/// Returns the text of a file, named by its path, or of a command, named by its line, without the
/// secrets that its syntax tells.
pub(crate) fn by_syntax(source: &str, text: &str) -> String {
    let syntax = syntax_of(source);
    let (mut clean, mut in_program) = (String::with_capacity(text.len()), false);
    for whole in text.split_inclusive('\n') {
        let line = whole.strip_suffix('\n').unwrap_or(whole);
        // A line of mdadm.conf that begins with a space goes on with the one before.
        in_program = match syntax {
            Syntax::Programs if in_program && line.starts_with([' ', '\t']) => true,
            Syntax::Programs => {
                let first = words(line).into_iter().map(|word| &line[word]);
                let mut first = first.skip_while(|word| word.chars().all(|c| c == '#'));
                let first = first.next().unwrap_or_default().trim_start_matches('#');
                // As mdadm: a keyword may be cut to its first three letters.
                first.len() >= 3 && "program".starts_with(&first.to_ascii_lowercase())
            }
            _ => false,
        };
        let found = match syntax {
            Syntax::Mounts => of_mount(line),
            Syntax::Boot => of_boot(line),
            Syntax::Smartd => of_smartd(line),
            Syntax::Programs if in_program => of_program(line),
            Syntax::Programs => of_ups(line),
            Syntax::Zfs => of_zfs(line),
            Syntax::Plain => Vec::new(),
        };
        clean.push_str(&without(line, found));
        clean.push_str(&whole[line.len()..]);
    }
    clean
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

/// Returns the words of a line; quotes keep a word together.
pub(crate) fn words(line: &str) -> Vec<Range<usize>> {
    let (mut found, mut start, mut quote) = (Vec::new(), None, None);
    for (at, c) in line.char_indices() {
        match (c.is_whitespace() && quote.is_none(), start) {
            (true, Some(from)) => {
                found.push(from..at);
                start = None;
            }
            (false, None) => start = Some(at),
            _ => {}
        }
        quote = match quote {
            Some(open) if open == c => None,
            None if matches!(c, '"' | '\'') => Some(c),
            quote => quote,
        };
    }
    found.extend(start.map(|from| from..line.len()));
    found
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
    let mut found = Vec::new();
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
                    found.push(start + program.len()..at + option.len());
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
        if name.starts_with("systemd.set_credential") {
            let named = value.find(':').map_or(0, |colon| colon + 1);
            found.push(start + named..at + word.len());
        } else if ["password", "sshpw", "passphrase"]
            .iter()
            .any(|end| name.ends_with(end))
        {
            // A comma ends no parameter.
            found.push(start..at + word.len());
        } else if name.contains("wireless_w") {
            found.push(start..at + word.len());
        }
    }
    found
}

/// Redacts what follows the program of `-M exec`.
fn of_smartd(line: &str) -> Vec<Range<usize>> {
    let words = words(line);
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
    let words = words(line);
    let continues = line.starts_with([' ', '\t']) && !line.trim_start().starts_with('/');
    let mut rest = words.into_iter();
    if !continues {
        let keyword = rest.find(|word| !line[word.clone()].chars().all(|c| c == '#'));
        let Some(program) = keyword.and_then(|_| rest.next()) else {
            return Vec::new();
        };
        let found = arguments(line, program);
        return found.into_iter().chain(rest).collect();
    }
    rest.collect()
}

/// Redacts values of options of a program in other settings: `SHUTDOWNCMD "/sbin/x -p SECRET"`,
/// `DAEMON_OPTIONS="--syslog --program 'x SECRET'"`.
fn of_ups(line: &str) -> Vec<Range<usize>> {
    let is_command = ["shutdowncmd", "notifycmd", "daemon_options"]
        .iter()
        .any(|name| line.trim_start().to_ascii_lowercase().starts_with(name));
    if !is_command {
        return Vec::new();
    }
    let mut found = Vec::new();
    let mut previous = "";
    let split = |c: char| c.is_whitespace() || matches!(c, '"' | '\'');
    let mut parts = line.split(split).filter(|word| !word.is_empty());
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
    match crate::redact::is_secret_name(name) {
        true => std::iter::once(value.start..words[last].end).collect(),
        false => Vec::new(),
    }
}

/// Programs and their options that take a secret, and whether the secret may be the next word.
const OPTIONS: &[(&str, &[&str], bool)] = &[
    ("sshpass", &["-p"], true),
    (
        "curl",
        &["-u", "--user", "-U", "--proxy-user", "--oauth2-bearer"],
        true,
    ),
    ("mysql", &["-p"], false),
    ("mysqldump", &["-p"], false),
    ("mysqladmin", &["-p"], false),
    ("mariadb", &["-p"], false),
    ("mariadb-dump", &["-p"], false),
    ("mariadb-admin", &["-p"], false),
    ("ldapsearch", &["-w"], true),
    ("ldapmodify", &["-w"], true),
    ("smbclient", &["-U"], true),
    ("ipmitool", &["-P"], true),
    ("snmptrap", &["-c", "-A", "-X"], true),
    ("redis-cli", &["-a"], true),
    ("mosquitto_pub", &["-P"], true),
    ("upscmd", &["-p"], true),
    ("upsrw", &["-p"], true),
    ("7z", &["-p"], false),
    ("zip", &["-P"], true),
];

/// Returns a line without what programs take as secrets: `sshpass -p SECRET`.
pub(crate) fn of_options(line: &str) -> String {
    let words = words(line);
    let mut found = Vec::new();
    for (at, word) in words.iter().enumerate() {
        let name = line[word.clone()].trim_matches(['"', '\'', '(', '`', '$']);
        let name = name
            .rsplit(['/', '"', '\'', '='])
            .next()
            .unwrap_or_default();
        let Some((_, options, may_follow)) = OPTIONS.iter().find(|(program, ..)| *program == name)
        else {
            continue;
        };
        for (at, word) in words.iter().enumerate().skip(at + 1) {
            for option in *options {
                let Some(attached) = line[word.clone()].strip_prefix(option) else {
                    continue;
                };
                if !attached.is_empty() && !option.starts_with("--") {
                    found.push(word.start + option.len()..word.end);
                } else if attached.is_empty() && *may_follow {
                    found.extend(words.get(at + 1).cloned());
                } else if let Some(value) = attached.strip_prefix('=') {
                    found.push(word.end - value.len()..word.end);
                }
            }
        }
    }
    without(line, found)
}
