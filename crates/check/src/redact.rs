//! Secrets are removed where facts leave the machine: in what `collect` writes and in what is shown.
//! Rules read what the files say.

use std::ops::Range;

pub use crate::look::suspicious;
use crate::look::{is_hex_token, is_path_of_key, is_random};
use crate::options::user_of;
use crate::syntax::{by_syntax, has_lists};

/// What stands for a secret.
pub const REDACTED: &str = "[redacted]";

/// Parts of names whose value is a secret.
const SECRET_NAMES: [&str; 37] = [
    "cookie",
    "password",
    "passwd",
    "passwort",
    "kennwort",
    "motdepasse",
    "mot_de_passe",
    "contrase",
    "senha",
    "wachtwoord",
    "salasana",
    "heslo",
    "hasło",
    "haslo",
    "parola",
    "пароль",
    "密码",
    "passphrase",
    "secret",
    "token",
    "credential",
    "apikey",
    "api_key",
    "api-key",
    "private_key",
    "privatekey",
    "presharedkey",
    "rootpw",
    "userpw",
    "bindpw",
    "masterkey",
    "accesskey",
    "dbpass",
    "requirepass",
    "authorization",
    "signature",
    "community",
];

/// Last words of names whose value is a secret: `MYSQL_PWD`, `smtp_pass`, `key`.
const SECRET_WORDS: [&str; 9] = [
    "pin", "pass", "pwd", "pw", "psk", "key", "bearer", "sig", "otp",
];

/// How names end that only tell where a secret is or how it is used: `secretfile`, `key-slot`.
const HARMLESS_ENDS: [&str; 22] = [
    "timeout",
    "file",
    "_fd",
    "bypass",
    "compass",
    "proxy_pass",
    "script",
    "location",
    "echo",
    "slot",
    "size",
    "format",
    "-secret",
    "hash",
    "empty-password",
    "stdin",
    "fastcgi_pass",
    "uwsgi_pass",
    "scgi_pass",
    "grpc_pass",
    "memcached_pass",
    "path",
];

/// How a hash of a password begins (crypt(5), and OpenLDAP's `userPassword`).
const HASHES: [&str; 14] = [
    "$1$", "$2a$", "$2b$", "$2y$", "$5$", "$6$", "$7$", "$y$", "$gy$", "$apr1$", "$argon2",
    "{SSHA", "{CRYPT}", "{SHA",
];

/// Returns the text of a file, named by its path, or of a command, named by its line, without
/// secrets.
pub fn redact_of(source: &str, text: &str) -> String {
    without_secrets(&by_syntax(source, text), has_lists(source))
}

/// Returns the text without secrets: values of keys such as `password`, what stands before `@` in
/// URLs, hashes of passwords, and everything between the marks of a private key.
pub fn redact(text: &str) -> String {
    without_secrets(&by_syntax("", text), false)
}

/// Returns the text without secrets that names, addresses and marks tell; in lists a comma ends a
/// value.
fn without_secrets(text: &str, is_list: bool) -> String {
    let mut clean = String::with_capacity(text.len());
    let (mut in_key, mut goes_on, mut previous) = (false, false, "");
    for line in text.lines() {
        if begins_key(line) {
            in_key = true;
            clean.push_str(REDACTED);
            clean.push('\n');
        }
        // LDIF and YAML continue a value on indented lines, others after a backslash.
        let continues = goes_on && is_indented(line, previous);
        let continues = continues || (goes_on && previous.ends_with('\\'));
        previous = line;
        if !in_key && !continues {
            let redacted = redact_line(line, is_list);
            goes_on = redacted.is_open;
            clean.push_str(&redacted.text);
            clean.push('\n');
        }
        in_key &= !line.contains("-----END");
    }
    if !text.ends_with('\n') {
        clean.pop();
    }
    clean
}

/// Returns whether a line begins with a space, or in a comment with more of them than the one
/// before.
fn is_indented(line: &str, previous: &str) -> bool {
    let indent = |line: &str| line.len() - line.trim_start().len();
    match (line.strip_prefix('#'), previous.strip_prefix('#')) {
        (Some(line), Some(previous)) => indent(line) > indent(previous),
        _ => line.starts_with([' ', '\t']),
    }
}

/// Returns whether a line has the first mark of a key; a certificate is public.
fn begins_key(line: &str) -> bool {
    let marks = line.match_indices("-----BEGIN").map(|(at, _)| &line[at..]);
    let kinds = marks.map(|mark| mark.trim_start_matches('-').split("-----").next());
    kinds
        .flatten()
        .any(|kind| !kind.trim_end().ends_with("CERTIFICATE") && !kind.contains("PUBLIC"))
}

/// A line without its secrets.
struct Clean {
    text: String,
    /// Whether a secret without quotes reached the end of the line, so that it may go on.
    is_open: bool,
}

fn redact_line(line: &str, is_list: bool) -> Clean {
    let (mut clean, mut done, mut is_open) = (String::new(), 0, false);
    // A mark around a public key, and a value that is a place: no names are in them.
    let is_mark = line.trim_start().starts_with("-----") && line.trim_end().ends_with("-----");
    let mut passed = if is_mark { line.len() } else { 0 };
    let is_mark = |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '-' | '#' | ';');
    let first = line.find(|c: char| !is_mark(c)).unwrap_or(line.len());
    let mut quotes = Quotes::default();
    for name in names(line) {
        if name.start < done.max(passed) || !is_secret(line, &name) {
            continue;
        }
        let place = Place {
            is_list,
            is_first: name.start <= first,
            open: quotes.up_to(line, name.start),
        };
        let value = value_after(line, &name, &place);
        let element = value_of_element(line, &name);
        let is_label = is_secret_name(&line[value.range.clone()])
            && value_of_element(line, &value.range).is_some();
        if let Some(range) = element.filter(|range| range.start >= done) {
            clean.push_str(&line[done..range.start]);
            clean.push_str(REDACTED);
            done = range.end;
            continue;
        }
        // `key="Password" value="x"`
        if is_label {
            continue;
        }
        if is_place(&line[name.clone()], &line[value.range.clone()]) {
            passed = value.range.end;
            continue;
        }
        clean.push_str(&line[done..value.range.start]);
        if !value.range.is_empty() || value.is_open {
            clean.push_str(value.text);
            is_open = value.is_open;
        }
        done = value.range.end.max(name.end);
    }
    clean.push_str(&line[done..]);
    let text = of_hashes(&of_urls(&of_proxies(&clean)));
    Clean { text, is_open }
}

/// Returns where the names and words of a line stand.
fn names(line: &str) -> Vec<Range<usize>> {
    let (mut found, mut start) = (Vec::new(), None);
    for (at, c) in line.char_indices().chain([(line.len(), ' ')]) {
        match (c.is_alphanumeric() || matches!(c, '_' | '-'), start) {
            (true, None) => start = Some(at),
            (false, Some(from)) => {
                found.push(from..at);
                start = None;
            }
            _ => {}
        }
    }
    found
}

fn is_secret(line: &str, name: &Range<usize>) -> bool {
    let word = &line[name.clone()];
    let before = line[..name.start].trim_end();
    // `</password>` ends a value; `https://token:x@host` is looked at as an address.
    if before.ends_with("</") || before.ends_with("://") {
        return false;
    }
    is_secret_name(word)
        // SQL: `IDENTIFIED BY 'x'`.
        || (last_part(&word.to_ascii_lowercase()) == "by" && before.to_ascii_lowercase().ends_with("identified"))
}

/// Returns whether a name tells that its value is a secret.
pub(crate) fn is_secret_name(name: &str) -> bool {
    let lower = name.to_lowercase();
    let is_harmless = HARMLESS_ENDS.iter().any(|end| lower.ends_with(end));
    !is_harmless && (is_strong(&lower) || is_weak(name))
}

/// Returns whether a name of small letters has a part that nothing else has.
fn is_strong(lower: &str) -> bool {
    SECRET_NAMES.iter().any(|secret| lower.contains(secret))
}

/// Returns whether the last part of a name is a word that also stands in sentences: `smtp_pass`,
/// `cifspass`, `apiKey`.
fn is_weak(name: &str) -> bool {
    let lower = name.to_lowercase();
    // `apiKey`: a capital begins the last part.
    let capital = name.char_indices().rfind(|(_, c)| c.is_uppercase());
    let part = capital.map_or("", |(at, _)| &name[at..]).to_lowercase();
    SECRET_WORDS.contains(&last_part(&lower))
        || SECRET_WORDS.contains(&part.as_str())
        || lower.ends_with("pass")
        || lower.ends_with("pwd")
}

/// Returns the last part of a name: `pwd` of `MYSQL_PWD`.
fn last_part(name: &str) -> &str {
    name.rsplit(['_', '-']).next().unwrap_or_default()
}

/// Returns whether the value of a name is the place of a secret: `credentials=/etc/nas`,
/// `rd.luks.key=/root.key`; or is none.
fn is_place(name: &str, value: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    let may_be = ["credentials", "cred", "key"]
        .iter()
        .any(|end| lower.ends_with(end));
    let value = value.split([',', ' ']).next().unwrap_or_default();
    let is_switch = ["-", "yes", "no", "on", "off", "true", "false"].contains(&value);
    is_switch || (may_be && is_path_of_key(value))
}

/// The value of a key.
struct Value {
    range: Range<usize>,
    /// What stands for it.
    text: &'static str,
    /// Whether it may go on in the next line.
    is_open: bool,
}

/// Returns where the value of a key stands; an empty one if the name is no key.
///
/// ```text
/// key = value        to the end of the line if the key begins it
/// a,key=value,b      to a comma or space
/// key: value         to the end of the line
/// key value          to the end of the line
/// 'key' => 'value'   to the same quote
/// "key": 12,         to a comma or brace
/// <key>value</key>   to the tag
/// ```
fn value_after(line: &str, name: &Range<usize>, place: &Place) -> Value {
    let (before, after) = (&line[..name.start], &line[name.end..]);
    let is_separator = |c: char| matches!(c, '=' | ':' | ' ' | '\t' | '"' | '\'' | '>' | ',' | ']');
    let skipped = after
        .find(|c: char| !is_separator(c))
        .unwrap_or(after.len());
    let separator = &after[..skipped];
    let value = |length, text, is_open| {
        let start = name.end + skipped;
        let range = start..start + length;
        Value {
            range,
            text,
            is_open,
        }
    };
    if !is_key(before, separator) || !may_follow(&line[name.clone()], place.is_first, separator) {
        let range = name.end..name.end;
        let (text, is_open) = (REDACTED, false);
        return Value {
            range,
            text,
            is_open,
        };
    }
    let rest = &after[skipped..];
    // What the syntax of the file told is exact.
    if rest.starts_with(REDACTED) {
        return value(REDACTED.len(), REDACTED, false);
    }
    let up_to = |ends: &[char]| rest.find(ends).unwrap_or(rest.len());
    if let Some(quote) = separator.chars().next_back().filter(|c| "\"'".contains(*c)) {
        return value(to_last_quote(rest, quote), REDACTED, false);
    }
    let has_equals = separator.contains('=');
    if separator.contains('>') && !has_equals {
        return value(up_to(&['<']), REDACTED, false);
    }
    if separator.starts_with('"') {
        let inner = near(rest).split(']').next().unwrap_or_default();
        let has_object = rest.starts_with(['{', '[']) && inner.contains('{');
        return match rest.chars().next() {
            _ if has_object => value(0, REDACTED, false),
            Some('[') => value(
                rest.find(']').map_or(rest.len(), |at| at + 1),
                "[\"[redacted]\"]",
                false,
            ),
            _ => value(up_to(&[',', '}', ']']), "\"[redacted]\"", false),
        };
    }
    let up_to_quote = |text: &str| place.open.map_or(text.len(), |quote| to_quote(text, quote));
    // `"NAME=a value"`: the quotes hold the name and all of its value.
    let is_whole = has_equals && place.open.is_some_and(|quote| before.ends_with(quote));
    let limit = if is_whole { up_to_quote(rest) } else { 0 };
    if is_whole && limit < rest.len() {
        return value(limit, REDACTED, false);
    }
    if has_equals && !place.is_first {
        let length = to_space(rest, place.is_list || before.ends_with(','));
        let length = up_to_quote(&rest[..of_scheme(rest, length)]);
        return value(length, REDACTED, false);
    }
    let limit = up_to_quote(rest);
    let is_open = limit == rest.len() && !separator.trim().is_empty();
    value(limit, REDACTED, is_open)
}

/// Where a name stands.
struct Place {
    /// Whether commas end values.
    is_list: bool,
    /// Whether nothing but marks is before it in its line.
    is_first: bool,
    /// The quote that a word before it begins with and that is still open.
    open: Option<char>,
}

/// The quotes of a line, read once from its start.
#[derive(Default)]
struct Quotes {
    read: usize,
    open: Option<char>,
    previous: Option<char>,
}

impl Quotes {
    /// Returns the quote that is open at a place, which is behind those asked for before.
    fn up_to(&mut self, line: &str, end: usize) -> Option<char> {
        for c in line[self.read..end].chars() {
            let begins = self
                .previous
                .is_none_or(|previous| previous.is_whitespace() || "=([{,:".contains(previous));
            match self.open {
                Some(quote) if quote == c && self.previous != Some('\\') => self.open = None,
                None if "\"'".contains(c) && begins => self.open = Some(c),
                _ => {}
            }
            self.previous = Some(c);
        }
        self.read = end;
        self.open
    }
}

/// Returns the length of a value that may be the name of a scheme and then the secret: `Basic x`.
fn of_scheme(rest: &str, length: usize) -> usize {
    let schemes = ["basic", "bearer", "digest", "token", "negotiate"];
    let is_scheme = schemes.contains(&rest[..length].to_ascii_lowercase().as_str());
    let after = &rest[length..];
    let spaces = after.len() - after.trim_start().len();
    let secret = after[spaces..].find(char::is_whitespace);
    match is_scheme {
        true => secret.map_or(rest.len(), |end| length + spaces + end),
        false => length,
    }
}

/// Returns whether a value may follow a name after no more than spaces: `pass` and `key` are also
/// words of sentences, unless they begin a line or an option.
fn may_follow(name: &str, is_first: bool, separator: &str) -> bool {
    let is_bare = separator.trim().is_empty();
    let is_program = ["sshpass", "askpass"].iter().any(|end| name.ends_with(end));
    !is_bare
        || is_strong(&name.to_lowercase())
        || ((is_first || name.starts_with('-')) && !is_program)
}

/// Returns whether a name is a key, by what stands before it and between it and a value.
fn is_key(before: &str, separator: &str) -> bool {
    // `/run/credentials/`, and the end of a line.
    if separator.is_empty() {
        return false;
    }
    // `tank/secrets on`, `LABEL=token /srv`, `<secret type=...`: a name, and no key. A quote may
    // begin the value.
    if separator.trim_end_matches(['"', '\'']).trim().is_empty()
        && separator.starts_with([' ', '\t'])
    {
        return before.is_empty() || before.ends_with(char::is_whitespace);
    }
    // `password,ro` is an option without a value, and `"secret", "next"` are values; PHP's
    // `define('KEY', 'value')` is a key and its value.
    let is_call = before.ends_with(['\'', '"']) && before.contains('(');
    match separator
        .find([',', '=', ':', '>'])
        .map(|at| &separator[at..at + 1])
    {
        Some(",") => is_call,
        Some(_) => true,
        None => false,
    }
}

/// Returns the length up to a quote that no backslash precedes.
fn to_quote(text: &str, quote: char) -> usize {
    let mut is_escaped = false;
    for (at, c) in text.char_indices() {
        if c == quote && !is_escaped {
            return at;
        }
        is_escaped = c == '\\' && !is_escaped;
    }
    text.len()
}

/// Returns the length up to the last of several quoted parts that touch, or have an escaped quote
/// between them: the shell reads `'it'"'"'s'` and `'it'\''s'` as one word.
fn to_last_quote(text: &str, quote: char) -> usize {
    let mut end = to_quote(text, quote);
    loop {
        let after = text.get(end + 1..).unwrap_or_default();
        let escaped = usize::from(after.starts_with('\\')) * 2;
        let next = after.get(escaped..).and_then(|after| after.chars().next());
        let Some(next) = next.filter(|c| "\"'".contains(*c)) else {
            return end;
        };
        let start = end + 2 + escaped;
        end = start + to_quote(&text[start..], next);
    }
}

/// Returns the length up to a space that no backslash precedes, or to another end.
fn to_space(text: &str, is_list: bool) -> usize {
    let mut is_escaped = false;
    for (at, c) in text.char_indices() {
        if (c.is_whitespace() && !is_escaped) || (is_list && c == ',') {
            return at;
        }
        is_escaped = c == '\\' && !is_escaped;
    }
    text.len()
}

/// Returns the start of a text: what belongs to a name is not far from it, and each name of a long
/// line is looked at.
fn near(text: &str) -> &str {
    const NEAR_CHARS: usize = 256;
    let end = text.char_indices().nth(NEAR_CHARS).map(|(at, _)| at);
    &text[..end.unwrap_or(text.len())]
}

/// Returns where the value of `<name a="b">value</name>` or `key="name" value="value"` stands.
fn value_of_element(line: &str, name: &Range<usize>) -> Option<Range<usize>> {
    let after = &line[name.end..];
    if line[..name.start].ends_with('<') && after.starts_with(' ') {
        let open = near(after)
            .find('>')
            .filter(|at| !after[..*at].ends_with('/'))?;
        let start = name.end + open + 1;
        let length = line[start..].find('<')?;
        return (length > 0).then_some(start..start + length);
    }
    let after_quote = after.strip_prefix(['"', '\''])?;
    let pair = after_quote.trim_start_matches([',', ' ', '"', '\'']);
    let rest = pair.strip_prefix("value")?;
    let value = rest.trim_start_matches(['"', '\'', ' ', '=', ':']);
    let start = line.len() - value.len();
    let quote = line[..start].chars().next_back()?;
    let length = match "\"'".contains(quote) {
        true => to_quote(value, quote),
        false => to_space(value, true),
    };
    Some(start..start + length)
}

/// Returns a line without what stands before `@` in `scheme://user:password@host`: a user can be a
/// token.
fn of_urls(line: &str) -> String {
    let (mut clean, mut rest) = (String::new(), line);
    while let Some(at) = rest.find("://") {
        let (head, tail) = rest.split_at(at + 3);
        clean.push_str(head);
        let end = tail
            .find(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '<'))
            .unwrap_or(tail.len());
        let (address, after) = tail.split_at(end);
        let authority = address.split(['/', '?']).next().unwrap_or_default();
        let port = authority.rsplit_once(':').map(|(_, port)| port);
        let is_port = port.is_some_and(|port| port.chars().all(|c| c.is_ascii_digit()));
        // A password may contain slashes that should have been encoded.
        let user_end = match authority.rfind('@') {
            Some(at) => Some(at),
            None if port.is_some() && !is_port => address.rfind('@'),
            None => None,
        };
        match user_end {
            Some(at) => {
                clean.push_str(REDACTED);
                clean.push_str(&of_address(&address[at..]));
            }
            None => clean.push_str(&of_address(address)),
        }
        rest = after;
    }
    clean + rest
}

/// Returns an address without values of its query, and without parts of its path that only who
/// knows them can call, as those of webhooks.
fn of_address(address: &str) -> String {
    let (place, query) = match address.split_once('?') {
        Some((place, query)) => (place, Some(query)),
        None => (address, None),
    };
    let mut clean = String::with_capacity(address.len());
    let (mut in_hook, mut previous) = (false, "");
    for (at, part) in place.split('/').enumerate() {
        if at > 0 {
            clean.push('/');
        }
        let is_secret = at > 0 && in_hook || is_random(part) || is_key_in_path(part, previous);
        let is_secret = is_secret && !part.is_empty();
        clean.push_str(if is_secret { REDACTED } else { part });
        let hook = HOOKS.iter().any(|hook| part.contains(hook));
        in_hook |= hook;
        previous = part;
    }
    if let Some(query) = query.filter(|query| !query.is_empty()) {
        let values = query.split('&').map(|pair| match pair.split_once('=') {
            Some((name, _)) => format!("{name}={REDACTED}"),
            None => REDACTED.to_owned(),
        });
        clean.push('?');
        clean.push_str(&values.collect::<Vec<_>>().join("&"));
    }
    clean
}

/// Parts of addresses after which everything is a secret: those of Slack, Discord, Teams, Google
/// Chat, Mattermost, Telegram, ntfy and Healthchecks.
const HOOKS: [&str; 10] = [
    "hooks.slack.com",
    "webhook",
    "hooks",
    "chat.googleapis.com",
    "api.telegram.org",
    "ntfy.sh",
    "hc-ping.com",
    "maker.ifttt.com",
    "logic.azure.com",
    "discord.com",
];

/// Returns whether a part of a path holds a UUID, as `sub-UUID`, or a key in hexadecimal digits; the
/// part before tells digests and commits. Cloudsmith's tokens of 16 letters may have no digit.
fn is_key_in_path(part: &str, previous: &str) -> bool {
    let is_uuid = |word: &[u8]| {
        word.iter().enumerate().all(|(at, c)| match at {
            8 | 13 | 18 | 23 => *c == b'-',
            _ => c.is_ascii_hexdigit(),
        })
    };
    let places = ["commit", "tree", "blob", "raw", "sha", "md5", "by-hash"];
    let lower = previous.to_ascii_lowercase();
    let is_digest = places.iter().any(|place| lower.starts_with(place));
    let mut words = part.split(|c: char| !c.is_ascii_alphanumeric());
    part.as_bytes().windows(36).any(is_uuid)
        || (!is_digest && words.any(is_hex_token))
        || (previous == "dl.cloudsmith.io" && !["public", "basic"].contains(&part))
}

/// Returns a line without `USER:SECRET` in values of proxies, which need no scheme:
/// `https_proxy=USER:SECRET@HOST`.
fn of_proxies(line: &str) -> String {
    let (mut clean, mut done) = (String::new(), 0);
    for name in names(line) {
        let is_proxy = line[name.clone()].to_ascii_lowercase().ends_with("proxy");
        let Some(value) = line[name.end..].strip_prefix('=').filter(|_| is_proxy) else {
            continue;
        };
        let end = value.find(|c: char| c.is_whitespace() || c == ',');
        let start = name.end + 1;
        let value = &value[..end.unwrap_or(value.len())];
        if let Some(user) = user_of(value).filter(|_| start >= done) {
            clean.push_str(&line[done..start + user.start]);
            clean.push_str(REDACTED);
            done = start + user.end;
        }
    }
    clean + &line[done..]
}

/// Returns a line without hashes of passwords.
fn of_hashes(line: &str) -> String {
    let (mut clean, mut rest) = (String::new(), line);
    let next = |rest: &str| HASHES.iter().filter_map(|hash| rest.find(hash)).min();
    while let Some(at) = next(rest) {
        clean.push_str(&rest[..at]);
        clean.push_str(REDACTED);
        let tail = &rest[at..];
        let end = tail.find(|c: char| c.is_whitespace() || matches!(c, ':' | '"' | '\'' | ','));
        rest = &tail[end.unwrap_or(tail.len())..];
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
                "deb https://[redacted]@repo.example/debian bookworm main",
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

    /// Lines of files of real programs; the secret is `hunter2` and what belongs to it.
    #[test]
    fn no_way_to_write_a_secret_keeps_it() {
        for text in [
            // my.cnf, and values with spaces, quotes and escapes.
            "password = hunter2 and hunter2",
            "password=hunter2 hunter2",
            "password=\"a hunter2 \\\" hunter2\" # c",
            "password='it\"s hunter2'",
            "MYSQL_PWD=hunter2",
            "export PGPASSWORD=hunter2 PGUSER=x",
            "CREATE USER x IDENTIFIED BY 'hunter2'",
            // PHP, JSON, YAML, XML.
            "define( 'DB_PASSWORD', 'hunter2' );",
            "  'password' => 'hunter2',",
            "$CONFIG['dbpassword'] = 'hunter2';",
            "{\"password\": \"hunter2\", \"a\": 1}",
            "{\"password\":hunter2}",
            "password: hunter2",
            "password: |\n  hunter2\n  hunter2",
            "password = hunter\\\nhunter2",
            "<password>hunter2</password>",
            "<graphics type='vnc' passwd='hunter2'/>",
            "<password encrypted=\"false\">hunter2</password>",
            "<add key=\"Password\" value=\"hunter2\"/>",
            "{\"name\": \"DB_PASSWORD\", \"value\": \"hunter2\"}",
            "\"passwords\": [ \"hunter2\", \"hunter2\" ]",
            "export PASSWORD='x'\\''hunter2' A=b",
            "export TOKEN=hunter2\\ hunter2 A=b",
            "key=password-hunter2",
            // Directories, mail, chat and file servers.
            "olcRootPW: {SSHA}hunter2",
            "olcDbIDAssertBind: mode=self bindmethod=simple credentials=\"hunter2\"",
            "userPassword:: hunter2\n hunter2\n\thunter2",
            "rootpw hunter2",
            "smtp_pass = hunter2",
            "mail.example.org user:$6$hunter2",
            "admin:$apr1$hunter2",
            "root:$y$j9T$hunter2:19000:0",
            "requirepass hunter2",
            "rocommunity = hunter2",
            "machine a login b password hunter2",
            "//nas/x /mnt cifs user=a,pass=hunter2,ro 0 0",
            // Boot, storage, network.
            "password_pbkdf2 root grub.pbkdf2.sha512.10000.hunter2",
            "node.session.auth.password = hunter2",
            "-drive file=rbd:a/b:id=admin:key=hunter2:conf=x,cache=none",
            "  key = hunter2==",
            "PrivateKey = hunter2=",
            "PresharedKey = hunter2=",
            "psk=\"hunter2\"",
            "wifi-psk hunter2",
            "AWS_SECRET_ACCESS_KEY=hunter2",
            // Addresses.
            "deb https://hunter2@repo.example/x y main",
            "deb https://hunter2:x-oauth-basic@repo.example/x y main",
            "URIs: https://a:hunter2/hunter2@repo.example/x",
            "https://repo.example/x?token=hunter2&a=1",
            "https://repo.example/x?a=1&key=hunter2",
            "https://repo.example/x?sig=hunter2",
            "Authorization: Bearer hunter2",
            "curl -H 'Authorization: Basic hunter2' x",
            // Keys; a certificate before a key in one line.
            "-----BEGIN OPENSSH PRIVATE KEY-----\nhunter2\n-----END OPENSSH PRIVATE KEY-----",
            "a: -----BEGIN CERTIFICATE-----\\nx\\n-----BEGIN PRIVATE KEY-----\\nhunter2",
            "-----BEGIN RSA PRIVATE KEY-----\nhunter2",
        ] {
            let clean = redact(text);
            assert!(!clean.contains("hunter2"), "{text}\n{clean}");
            assert!(clean.contains(REDACTED), "{text}\n{clean}");
        }
    }

    /// A name that looks like a key takes no fact away.
    #[test]
    fn names_that_look_like_keys_stay() {
        for text in [
            "tank/secrets  recordsize  128K  local",
            "/dev/mapper/vg-secret /srv/token ext4 rw,nobarrier 0 0",
            "LABEL=secret /srv xfs nobarrier 0 0",
            "ARRAY /dev/md/token metadata=1.2 name=a:token UUID=1",
            "{\"lv_name\":\"secret\", \"vg_name\":\"token\", \"lv_attr\":\"twi\"}",
            "\"sense_key\": { \"value\": 2 },",
            "deb [signed-by=/usr/share/keyrings/token.gpg] https://repo.example:8080/debian x main",
            "deb https://repo.example/a@b/debian x main",
            "  systemd-ask-password-wall.path loaded active waiting",
            "-----BEGIN CERTIFICATE-----\nx\n-----END CERTIFICATE-----",
            "<secret type='ceph'><driver cache='none'/>",
        ] {
            assert_eq!(redact(text), text);
        }
        assert_eq!(
            redact("{\"password\": 1, \"size\": 2}"),
            "{\"password\": \"[redacted]\", \"size\": 2}"
        );
        assert_eq!(
            redact("<a passwd='x'/>\n  <driver cache='none'/>\n"),
            "<a passwd='[redacted]'/>\n  <driver cache='none'/>\n"
        );
    }
}
