//! Escapes text from outside for each format: names may hold anything.

use stripewise_catalogue::{Language, NAME_TICK, Words};
use stripewise_units::visible::visible_line;

/// How many characters of a name are shown to people and scrapers.
const NAME_CHARACTERS_MAX: usize = 200;

/// The longest run of hexadecimal digits that GitHub does not link as a commit: an abbreviated hash
/// has at least seven.
const HEX_DIGITS_MAX: u32 = 6;

/// Splits text that GitHub would turn into a link; invisible in rendered Markdown.
const BREAK: &str = "<!-- -->";

/// Returns text on one line with its hidden characters visible; cuts a text that is too long.
pub(crate) fn plain(text: &str) -> String {
    let line = visible_line(text);
    let mut characters = line.chars();
    let mut plain: String = characters.by_ref().take(NAME_CHARACTERS_MAX).collect();
    if characters.next().is_some() {
        plain.push('…');
    }
    plain
}

/// Returns text for a field of a CSV file, which no spreadsheet takes for a formula.
///
/// A spreadsheet evaluates text that begins with one of `= + - @`, a tab or a carriage return
/// (<https://owasp.org/www-community/attacks/CSV_Injection>). Such text gets a leading `'`, which
/// marks it as text in a spreadsheet. Text that begins with `'` gets one as well, so that a reader
/// can reverse this. Numbers are never text here.
pub(crate) fn to_field(text: &str) -> String {
    let text = visible_line(text);
    if text.starts_with(['=', '+', '-', '@', '\'', '＝', '＋', '－', '＠']) {
        format!("'{text}")
    } else {
        text.into_owned()
    }
}

/// Returns text for GitHub's Markdown: shown literally, without mentions and links.
///
/// For the middle of a line only: at the start of a line, digits and dashes also have a meaning.
/// Every special character gets a backslash. `<` and `&` become entities, because GitHub parses
/// HTML before backslashes. `@name` and `#12` are links even after a backslash, so an empty comment
/// splits them, and also addresses, `GH-12` and the names of commits
/// (<https://docs.github.com/en/get-started/writing-on-github/working-with-advanced-formatting/autolinked-references-and-urls>).
pub(crate) fn markdown(text: &str) -> String {
    escaped(&plain(text))
}

/// Returns words in English for data: without the backticks that mark code, and with those of names.
pub(crate) fn as_data(words: &impl Words) -> String {
    let text = words.marked(Language::English);
    let is_marked = text.matches('`').count().is_multiple_of(2);
    let text = if is_marked {
        text.replace('`', "")
    } else {
        text
    };
    text.replace(NAME_TICK, "`")
}

/// Returns a sentence of ours ([`Words::marked`]) for GitHub's Markdown, however long it is: like
/// [`markdown`], but what stands between backticks is code.
pub(crate) fn markdown_line(text: &str) -> String {
    let line = markdown_words(text);
    // At the beginning of a line these make lists and headings.
    match line.starts_with(['-', '+', '=']) {
        true => format!("\\{line}"),
        false => line,
    }
}

/// Like [`markdown_line`], for the middle of a line.
pub(crate) fn markdown_words(text: &str) -> String {
    let text = visible_line(text);
    let parts: Vec<&str> = text.split('`').collect();
    if parts.len().is_multiple_of(2) {
        return escaped(&text);
    }
    let parts = parts.iter().enumerate().map(|(at, part)| match at % 2 {
        0 => {
            let ends = [part.starts_with(' '), part.ends_with(' ') && part.len() > 1];
            let [before, after] = ends.map(|is_space| if is_space { " " } else { "" });
            format!("{before}{}{after}", escaped(part))
        }
        _ if part.contains(NAME_TICK) => format!("`` {} ``", part.replace(NAME_TICK, "`")),
        _ => format!("`{part}`"),
    });
    parts.collect::<String>().trim().to_owned()
}

/// Returns text as the value of an attribute in XML, without its quotes; it has no control
/// characters, which XML does not allow.
pub(crate) fn xml(text: &str) -> String {
    let text = visible_line(text);
    let text = text.replace('&', "&amp;").replace('<', "&lt;");
    text.replace('>', "&gt;").replace('"', "&quot;")
}

fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    let mut characters = text.trim().chars().peekable();
    let mut hex_digits = 0;
    while let Some(c) = characters.next() {
        hex_digits = match c.is_ascii_hexdigit() {
            true if hex_digits == HEX_DIGITS_MAX => {
                escaped.push_str(BREAK);
                1
            }
            true => hex_digits + 1,
            false => 0,
        };
        match c {
            '<' => escaped.push_str("&lt;"),
            '&' => escaped.push_str("&amp;"),
            '@' | '#' if characters.peek().is_some_and(|next| next.is_alphanumeric()) => {
                escaped.push('\\');
                escaped.push(c);
                escaped.push_str(BREAK);
            }
            ':' if characters.peek() == Some(&'/') => {
                escaped.push(c);
                escaped.push_str(BREAK);
            }
            '.' if escaped.to_ascii_lowercase().ends_with("www") => {
                escaped.push_str(BREAK);
                escaped.push(c);
            }
            '-' if last_word(&escaped).eq_ignore_ascii_case("gh") => {
                escaped.push(c);
                escaped.push_str(BREAK);
            }
            '\\' | '`' | '*' | '_' | '[' | ']' | '>' | '|' | '~' | '$' | '#' => {
                escaped.push('\\');
                escaped.push(c);
            }
            NAME_TICK => escaped.push_str("\\`"),
            c => escaped.push(c),
        }
    }
    escaped
}

/// Returns the letters and digits that text ends with.
fn last_word(text: &str) -> &str {
    text.rsplit(|c: char| !c.is_alphanumeric())
        .next()
        .unwrap_or_default()
}

/// Returns text as the value of a label in OpenMetrics, without its quotes.
pub(crate) fn label(text: &str) -> String {
    plain(text).replace('\\', "\\\\").replace('"', "\\\"")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_is_a_formula_or_breaks_a_line() {
        for (text, field) in [
            ("=1+1", "'=1+1"),
            ("@SUM(A1)", "'@SUM(A1)"),
            ("-2", "'-2"),
            ("\t=1", " =1"),
            ("'quoted", "''quoted"),
            ("plain", "plain"),
        ] {
            assert_eq!(to_field(text), field);
        }
        assert_eq!(plain("a\r\nb\u{202e}c\r"), "a b�c␍");
        assert_eq!(plain(&"x".repeat(10_000)).chars().count(), 201);
    }

    #[test]
    fn a_ticket_has_no_mentions_links_or_markup() {
        for (text, shown) in [
            ("<script>x</script>", "&lt;script\\>x&lt;/script\\>"),
            ("a|b", "a\\|b"),
            ("ask @root in #12", "ask \\@<!-- -->root in \\#<!-- -->12"),
            ("http://example.org", "http:<!-- -->//example.org"),
            ("see www.example.org", "see www<!-- -->.example.org"),
            ("like GH-12", "like GH-<!-- -->12"),
            ("(gh-7)", "(gh-<!-- -->7)"),
            ("a high-10 facade", "a high-10 facade"),
            ("at 3e5c1e6", "at 3e5c1e<!-- -->6"),
            (
                "0123456789abcdef0123456789ABCDEF01234567",
                "012345<!-- -->6789ab<!-- -->cdef01<!-- -->234567<!-- -->89ABCD<!-- -->EF0123<!-- -->4567",
            ),
        ] {
            assert_eq!(markdown(text), shown);
        }
    }
}
