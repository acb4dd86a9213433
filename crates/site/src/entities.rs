//! Entities of XML and HTML: `&quot;`, `&#34;`, `&#x22;`.

/// The longest entity, `&#x00010FFFF;`.
const ENTITY_BYTES_MAX: usize = 14;

/// Names of ASCII: those of XML, and those that HTML has for what stands in addresses.
const NAMES: [(&str, char); 16] = [
    ("quot", '"'),
    ("amp", '&'),
    ("lt", '<'),
    ("gt", '>'),
    ("apos", '\''),
    ("sol", '/'),
    ("colon", ':'),
    ("period", '.'),
    ("bsol", '\\'),
    ("num", '#'),
    ("quest", '?'),
    ("equals", '='),
    ("commat", '@'),
    ("lbrace", '{'),
    ("rbrace", '}'),
    ("semi", ';'),
];

/// The names of Latin-1 from U+00A0 on, as PHP's `htmlentities` writes them
/// (<https://html.spec.whatwg.org/multipage/named-characters.html>).
const LATIN: [&str; 96] = [
    "nbsp", "iexcl", "cent", "pound", "curren", "yen", "brvbar", "sect", "uml", "copy", "ordf",
    "laquo", "not", "shy", "reg", "macr", "deg", "plusmn", "sup2", "sup3", "acute", "micro",
    "para", "middot", "cedil", "sup1", "ordm", "raquo", "frac14", "frac12", "frac34", "iquest",
    "Agrave", "Aacute", "Acirc", "Atilde", "Auml", "Aring", "AElig", "Ccedil", "Egrave", "Eacute",
    "Ecirc", "Euml", "Igrave", "Iacute", "Icirc", "Iuml", "ETH", "Ntilde", "Ograve", "Oacute",
    "Ocirc", "Otilde", "Ouml", "times", "Oslash", "Ugrave", "Uacute", "Ucirc", "Uuml", "Yacute",
    "THORN", "szlig", "agrave", "aacute", "acirc", "atilde", "auml", "aring", "aelig", "ccedil",
    "egrave", "eacute", "ecirc", "euml", "igrave", "iacute", "icirc", "iuml", "eth", "ntilde",
    "ograve", "oacute", "ocirc", "otilde", "ouml", "divide", "oslash", "ugrave", "uacute", "ucirc",
    "uuml", "yacute", "thorn", "yuml",
];

/// Reads the entity at the beginning of a window; returns its length, too.
pub(crate) fn read(window: &[u8]) -> Option<(usize, char)> {
    let near = &window[..window.len().min(ENTITY_BYTES_MAX)];
    let end = memchr::memchr(b';', near)?;
    let name = std::str::from_utf8(near.get(1..end)?).ok()?;
    let character = match name.strip_prefix('#') {
        Some(digits) => {
            let (digits, radix) = match digits.strip_prefix(['x', 'X']) {
                Some(digits) => (digits, 16),
                None => (digits, 10),
            };
            let is_number = digits.chars().all(|digit| digit.is_digit(radix));
            let code = u32::from_str_radix(digits, radix).ok();
            char::from_u32(code.filter(|_| is_number)?)?
        }
        None => named(name)?,
    };
    Some((end + 1, character))
}

fn named(name: &str) -> Option<char> {
    if let Some((_, character)) = NAMES.iter().find(|(known, _)| *known == name) {
        return Some(*character);
    }
    let index = LATIN.iter().position(|known| *known == name)?;
    char::from_u32(0xa0 + u32::try_from(index).ok()?)
}
