//! Secrets are removed where facts are read, so that no file that we write ever held them.

/// What stands for a secret.
pub const REDACTED: &str = "[redacted]";

/// Parts of names whose value is a secret.
const SECRET_NAMES: [&str; 16] = [
    "password",
    "passwd",
    "passphrase",
    "secret",
    "token",
    "credential",
    "apikey",
    "api_key",
    "api-key",
    "private_key",
    "privatekey",
    "rootpw",
    "userpw",
    "bindpw",
    "dbpass",
    "db_pass",
];

/// Returns the text without secrets: values of keys such as `password`, passwords in URLs, and
/// everything between the marks of a private key.
pub fn redact(text: &str) -> String {
    let mut clean = String::with_capacity(text.len());
    let (mut in_key, mut in_secret) = (false, false);
    for line in text.lines() {
        if line.contains("-----BEGIN") && !line.contains("CERTIFICATE-----") {
            in_key = true;
            clean.push_str(REDACTED);
            clean.push('\n');
        }
        // LDIF continues a value on lines that begin with a space.
        let continues = in_secret && line.starts_with(' ');
        if !in_key && !continues {
            let redacted = redact_line(line);
            in_secret = redacted != line;
            clean.push_str(&redacted);
            clean.push('\n');
        }
        in_key &= !line.contains("-----END");
    }
    if !text.ends_with('\n') {
        clean.pop();
    }
    clean
}

fn redact_line(line: &str) -> String {
    if let Some(kept) = of_nut(line) {
        return kept;
    }
    let lower = line.to_ascii_lowercase();
    let name_at = |from: usize| {
        let found = SECRET_NAMES.iter();
        let found =
            found.filter_map(|name| lower[from..].find(name).map(|at| from + at + name.len()));
        found.min()
    };
    let (mut clean, mut done) = (String::new(), 0);
    while let Some(end) = name_at(done) {
        let value = value_after(line, end);
        clean.push_str(&line[done..value.start]);
        if !value.is_empty() {
            clean.push_str(REDACTED);
        }
        done = value.end.max(end);
    }
    clean.push_str(&line[done..]);
    of_urls(&clean)
}

/// Returns where the value of a key that ends at `end` stands. Separators are `=`, `:`, spaces and
/// a quote; an option list ends at a comma, anything else at the end of the line.
fn value_after(line: &str, end: usize) -> std::ops::Range<usize> {
    let rest = &line[end..];
    let name = rest
        .find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '-')))
        .unwrap_or(rest.len());
    let after = &rest[name..];
    let skipped = after
        .find(|c: char| !matches!(c, '=' | ':' | ' ' | '\t' | '"' | '\''))
        .unwrap_or(after.len());
    // A word such as `/run/credentials/` is no key.
    if skipped == 0 {
        return end..end;
    }
    let start = end + name + skipped;
    let has_equals = after[..skipped].contains('=');
    let is_quoted = after[..skipped].ends_with(['"', '\'']);
    let stop = |c: char| match (is_quoted, has_equals) {
        (true, _) => matches!(c, '"' | '\''),
        (false, true) => matches!(c, ',' | ' ' | '\t'),
        (false, false) => false,
    };
    let length = line[start..].find(stop).unwrap_or(line.len() - start);
    start..start + length
}

/// Returns NUT's `MONITOR ups@host 1 user password primary` without the password (upsmon.conf(5)).
fn of_nut(line: &str) -> Option<String> {
    let words: Vec<&str> = line.split_whitespace().collect();
    match words[..] {
        [first, system, power, user, _, ref rest @ ..] if first.eq_ignore_ascii_case("monitor") => {
            Some(
                [&[first, system, power, user, REDACTED], rest]
                    .concat()
                    .join(" "),
            )
        }
        _ => None,
    }
}

/// Returns a line without the passwords in `scheme://user:password@host`.
fn of_urls(line: &str) -> String {
    let (mut clean, mut rest) = (String::new(), line);
    while let Some(at) = rest.find("://") {
        let (head, tail) = rest.split_at(at + 3);
        clean.push_str(head);
        let end = tail
            .find(|c: char| c.is_whitespace() || matches!(c, '/' | '"' | '\''))
            .unwrap_or(tail.len());
        let (authority, after) = tail.split_at(end);
        match authority.rsplit_once('@') {
            Some((user, host)) if user.contains(':') => {
                let name = user.split(':').next().unwrap_or_default();
                clean.push_str(&format!("{name}:{REDACTED}@{host}"));
            }
            _ => clean.push_str(authority),
        }
        rest = after;
    }
    clean + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_removed_and_the_rest_stays() {
        for (text, expected) in [
            ("password = hunter2", "password = [redacted]"),
            ("olcRootPW:: aHVudGVyMg==", "olcRootPW:: [redacted]"),
            ("bindpw \"hunter2 x\" # c", "bindpw \"[redacted]\" # c"),
            (
                "//nas/x /mnt cifs user=a,password=hunter2,ro 0 0",
                "//nas/x /mnt cifs user=a,password=[redacted],ro 0 0",
            ),
            (
                "deb https://a:hunter2@repo.example/debian bookworm main",
                "deb https://a:[redacted]@repo.example/debian bookworm main",
            ),
            (
                "MONITOR ups@localhost 1 mon hunter2 primary",
                "MONITOR ups@localhost 1 mon [redacted] primary",
            ),
            (
                "ro rd.iscsi.password=hunter2 quiet",
                "ro rd.iscsi.password=[redacted] quiet",
            ),
            (
                "UUID=1234 / ext4 defaults 0 1",
                "UUID=1234 / ext4 defaults 0 1",
            ),
            (
                "olcSyncrepl: binddn=x credentials=hunter2 retry=3",
                "olcSyncrepl: binddn=x credentials=[redacted] retry=3",
            ),
        ] {
            assert_eq!(redact(text), expected);
        }
        let place = "none /run/credentials/x ramfs ro 0 0";
        assert_eq!(redact(place), place);
        let key = "a\n-----BEGIN PRIVATE KEY-----\nhunter2\n-----END PRIVATE KEY-----\nb\n";
        assert_eq!(redact(key), "a\n[redacted]\nb\n");
        assert_eq!(
            redact("userPassword:: aHVu\n dGVyMg==\ncn: x\n"),
            "userPassword:: [redacted]\ncn: x\n"
        );
    }
}
