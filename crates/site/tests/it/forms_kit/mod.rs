//! Draws texts in layers of forms, written once with the old address and once with the new one: so
//! what the new site would have written is known, and nothing in it was replaced.
#![allow(
    dead_code,
    reason = "each of the tests that include this file uses a part of it"
)]

use stripewise_site::{Pair, Pairs, Policy};

pub const OLD: &str = "http://old.example";
pub const NEW: &str = "https://www.new.example";

pub fn pairs() -> Pairs {
    let pair = Pair {
        from: OLD.into(),
        to: NEW.into(),
    };
    let policy = Policy {
        base64: true,
        ..Policy::default()
    };
    Pairs::new(&[pair], policy).unwrap()
}

pub fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok().and_then(|text| text.parse().ok())
}

/// What stands around the address.
pub const TEXTS: [&str; 8] = [
    "@",
    "@/a?b=c&d=1",
    "see @/x \"quoted\" it's",
    "Größe @/ü 日本",
    "line\n@/a\nline\t<b>",
    "a \\ b @",
    "<a href=\"@/a\">x</a>",
    "100% @ [@/b]",
];

/// A drawn text: what is around the address, and its layers, the innermost first.
#[derive(Debug, Clone)]
pub struct Drawn {
    pub text: &'static str,
    pub wraps: Vec<Wrap>,
    pub file: File,
}

impl Drawn {
    pub fn draw(draws: &mut Draws) -> Self {
        let count = draws.below(5);
        let mut wraps: Vec<Wrap> = (0..count).map(|_| draws.pick(&WRAPS)).collect();
        if draws.below(8) == 0 {
            wraps.push(Wrap::Base64);
        }
        let mut drawn = Self {
            text: draws.pick(&TEXTS),
            wraps,
            file: draws.pick(&FILES),
        };
        if !drawn.file.holds(&drawn.value(OLD)) {
            drawn.file = File::MySql;
        }
        drawn
    }

    pub fn value(&self, address: &str) -> Vec<u8> {
        let text = self.text.replace('@', address).into_bytes();
        self.wraps.iter().fold(text, |text, wrap| wrap.write(&text))
    }

    pub fn written(&self, address: &str) -> Vec<u8> {
        self.file.write(&self.value(address))
    }
}

/// A generator of numbers with a seed: SplitMix64.
pub struct Draws(pub u64);

impl Draws {
    /// Draws a number below a limit.
    pub fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^= bits >> 31;
        usize::try_from(bits % u64::try_from(limit).unwrap()).unwrap()
    }

    pub fn pick<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.below(list.len())]
    }
}

/// How a text is wrapped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wrap {
    /// A string in an array.
    Array,
    /// A private property of an object.
    Object,
    /// A string alone.
    Text,
    /// An `S`, whose marks are escaped.
    Escaped,
    Json(Json),
    Percent(Percent),
    Entity(Entity),
    Base64,
    Csv,
    Quoted(Quoted),
}

/// How a string or a literal in single quotes is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Quoted {
    /// `var_export`.
    Php,
    /// A literal of SQL, as SQLite's `.mode quote` writes it.
    Doubled,
    /// A literal of MySQL, as its `quote` writes it; a newline is `\n`.
    Literal,
}

/// How JSON or JavaScript is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Json {
    /// `json_encode`.
    Php,
    /// With `JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE`.
    Plain,
    /// With `JSON_HEX_QUOT` and the other `JSON_HEX` flags.
    Hex,
    /// With `\u002F` and `\u003C`, as .NET and serialize-javascript write it.
    Script,
    /// A string of JavaScript with `\x22` and `\x2f`.
    Code,
}

/// How a part of an address is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Percent {
    /// `rawurlencode`.
    Raw,
    /// `urlencode`: a blank is `+`.
    Form,
    /// With small letters.
    Lower,
}

/// How HTML is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Entity {
    /// `htmlspecialchars`.
    Named,
    /// In decimal numbers, as XML writers do.
    Decimal,
    /// In hexadecimal numbers, the slash among them.
    Hex,
}

pub const WRAPS: [Wrap; 20] = [
    Wrap::Array,
    Wrap::Array,
    Wrap::Object,
    Wrap::Text,
    Wrap::Escaped,
    Wrap::Json(Json::Php),
    Wrap::Json(Json::Plain),
    Wrap::Json(Json::Hex),
    Wrap::Json(Json::Script),
    Wrap::Json(Json::Code),
    Wrap::Percent(Percent::Raw),
    Wrap::Percent(Percent::Form),
    Wrap::Percent(Percent::Lower),
    Wrap::Entity(Entity::Named),
    Wrap::Entity(Entity::Decimal),
    Wrap::Entity(Entity::Hex),
    Wrap::Csv,
    Wrap::Quoted(Quoted::Php),
    Wrap::Quoted(Quoted::Doubled),
    Wrap::Quoted(Quoted::Literal),
];

impl Wrap {
    /// Returns whether a length is in it.
    pub fn is_counted(self) -> bool {
        matches!(
            self,
            Wrap::Array | Wrap::Object | Wrap::Text | Wrap::Escaped
        )
    }

    /// Writes a text in it.
    pub fn write(self, text: &[u8]) -> Vec<u8> {
        let length = text.len();
        let counted = |begin: String, end: &str| [begin.as_bytes(), text, end.as_bytes()].concat();
        match self {
            Wrap::Array => counted(
                format!("a:2:{{i:0;s:1:\"x\";s:3:\"url\";s:{length}:\""),
                "\";}",
            ),
            Wrap::Object => counted(
                format!("O:5:\"Thing\":1:{{s:6:\"\0*\0url\";s:{length}:\""),
                "\";}",
            ),
            Wrap::Text => counted(format!("s:{length}:\""), "\";"),
            Wrap::Escaped => {
                let mut out = format!("a:1:{{i:0;S:{length}:\"").into_bytes();
                for &byte in text {
                    match byte {
                        b'/' | b'\\' | b':' | 128.. => out.extend(format!("\\{byte:02x}").bytes()),
                        _ => out.push(byte),
                    }
                }
                out.extend(b"\";}");
                out
            }
            Wrap::Json(style) => json(style, text),
            Wrap::Percent(style) => [
                b"https://x.invalid/?v=1&u=",
                &percent(style, text)[..],
                b"&w=2",
            ]
            .concat(),
            Wrap::Entity(style) => [
                b"<p class=\"c\" data-x=\"",
                &entity(style, text)[..],
                b"\">t</p>",
            ]
            .concat(),
            Wrap::Base64 => {
                use base64::Engine as _;
                let packed = base64::engine::general_purpose::STANDARD.encode(text);
                [b"b=", packed.as_bytes()].concat()
            }
            Wrap::Csv => {
                let mut out = b"7,\"".to_vec();
                for &byte in text {
                    out.extend(std::iter::repeat_n(byte, 1 + usize::from(byte == b'"')));
                }
                out.extend(b"\",x\n");
                out
            }
            Wrap::Quoted(style) => {
                let (begin, list, end): (&[u8], &[(u8, &str)], &[u8]) = match style {
                    Quoted::Php => (
                        b"array (\n  'k\\'1' => '",
                        &[(0, "' . \"\\0\" . '"), (b'\'', "\\'"), (b'\\', "\\\\")],
                        b"',\n  'l' => '',\n)",
                    ),
                    Quoted::Doubled => (b"1,'it''s','", &[QUOTE], b"',NULL,''\n"),
                    Quoted::Literal => (
                        b"(1, 'it\\'s', '",
                        &[
                            (0, "\\0"),
                            (10, "\\n"),
                            (26, "\\Z"),
                            (b'\'', "\\'"),
                            (b'\\', "\\\\"),
                        ],
                        b"', '')",
                    ),
                };
                [begin, &replaced(text, list)[..], end].concat()
            }
        }
    }
}

fn json(style: Json, text: &[u8]) -> Vec<u8> {
    let text = String::from_utf8_lossy(text);
    let mut out = b"{\"n\":1,\"k\":\"".to_vec();
    for character in text.chars() {
        let code = u32::from(character);
        let escaped = match (style, character) {
            (_, '\\') => "\\\\".to_owned(),
            (Json::Hex, '"' | '\'' | '<' | '>' | '&') => format!("\\u{code:04X}"),
            (Json::Script, '/' | '<' | '>') => format!("\\u{code:04X}"),
            (Json::Code, '"' | '\'' | '/' | '<' | '&') => format!("\\x{code:02x}"),
            (_, '"') => "\\\"".to_owned(),
            (Json::Php | Json::Hex, '/') => "\\/".to_owned(),
            (_, '\n') => "\\n".to_owned(),
            (_, '\0'..' ') => format!("\\u{code:04x}"),
            (Json::Php | Json::Hex, '\u{80}'..) => {
                let mut units = [0; 2];
                let units = character.encode_utf16(&mut units);
                units.iter().map(|unit| format!("\\u{unit:04x}")).collect()
            }
            _ => character.to_string(),
        };
        out.extend(escaped.bytes());
    }
    out.extend(b"\"}");
    out
}

fn percent(style: Percent, text: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    for &byte in text {
        match (style, byte) {
            (Percent::Form, b' ') => out.push(b'+'),
            (Percent::Form, b'~') => out.extend(b"%7E"),
            (_, b'-' | b'_' | b'.' | b'~') => out.push(byte),
            _ if byte.is_ascii_alphanumeric() => out.push(byte),
            (Percent::Lower, _) => out.extend(format!("%{byte:02x}").bytes()),
            _ => out.extend(format!("%{byte:02X}").bytes()),
        }
    }
    out
}

fn entity(style: Entity, text: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    for &byte in text {
        match (style, byte) {
            (Entity::Named, b'&') => out.extend(b"&amp;"),
            (Entity::Named, b'"') => out.extend(b"&quot;"),
            (Entity::Named, b'<') => out.extend(b"&lt;"),
            (Entity::Named, b'>') => out.extend(b"&gt;"),
            (Entity::Named, b'\'') => out.extend(b"&#039;"),
            (Entity::Decimal, b'&' | b'"' | b'<' | b'>' | b'\'') => {
                out.extend(format!("&#{byte};").bytes());
            }
            (Entity::Hex, b'&' | b'"' | b'<' | b'>' | b'\'' | b'/') => {
                out.extend(format!("&#x{byte:X};").bytes());
            }
            _ => out.push(byte),
        }
    }
    out
}

/// How a value stands in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum File {
    Text,
    MySql,
    MySqlHex,
    NoBackslash,
    Tsv,
    Insert,
    Extended,
    Copy,
    Bytea,
    ByteaCopy,
    Sqlite,
    Replace,
    Unistr,
    Xml,
    Cdata,
    Csv,
}

pub const FILES: [File; 16] = [
    File::Text,
    File::MySql,
    File::MySqlHex,
    File::NoBackslash,
    File::Tsv,
    File::Insert,
    File::Extended,
    File::Copy,
    File::Bytea,
    File::ByteaCopy,
    File::Sqlite,
    File::Replace,
    File::Unistr,
    File::Xml,
    File::Cdata,
    File::Csv,
];

fn replaced(text: &[u8], list: &[(u8, &str)]) -> Vec<u8> {
    let mut out = Vec::new();
    for byte in text {
        match list.iter().find(|(known, _)| known == byte) {
            Some((_, by)) => out.extend(by.bytes()),
            None => out.push(*byte),
        }
    }
    out
}

const QUOTE: (u8, &str) = (b'\'', "''");
const COPY: [(u8, &str); 7] = [
    (8, "\\b"),
    (9, "\\t"),
    (10, "\\n"),
    (11, "\\v"),
    (12, "\\f"),
    (13, "\\r"),
    (b'\\', "\\\\"),
];

impl File {
    /// Returns whether a text can stand in it.
    pub fn holds(self, text: &[u8]) -> bool {
        let has = |bytes: &[u8]| text.iter().any(|byte| bytes.contains(byte));
        match self {
            File::Bytea | File::ByteaCopy | File::MySqlHex | File::MySql | File::Text => true,
            File::Insert | File::Extended | File::Copy | File::Tsv | File::NoBackslash => {
                !has(b"\0")
            }
            File::Sqlite => !has(b"\0\n\r"),
            // SQLite takes another token if the text has this one.
            File::Replace => {
                !has(b"\0") && has(b"\n") && memchr::memmem::find(text, b"\\n").is_none()
            }
            File::Unistr => !has(b"\0") && has(b"\n\t"),
            File::Xml | File::Cdata => !text
                .iter()
                .any(|byte| *byte < 32 && !b"\n\t".contains(byte)),
            File::Csv => true,
        }
    }

    /// Writes a file with a text in it.
    pub fn write(self, text: &[u8]) -> Vec<u8> {
        let hex = || -> String { text.iter().map(|byte| format!("{byte:02x}")).collect() };
        let (begin, value, end) = match self {
            File::Text => ("", text.to_vec(), ""),
            File::MySql => {
                let list = [
                    (0, "\\0"),
                    (10, "\\n"),
                    (13, "\\r"),
                    (26, "\\Z"),
                    (b'\'', "\\'"),
                    (b'"', "\\\""),
                    (b'\\', "\\\\"),
                ];
                (
                    "-- MySQL dump 10.13\nINSERT INTO `t` VALUES (1,'",
                    replaced(text, &list),
                    "');\n-- Dump completed\n",
                )
            }
            File::MySqlHex => (
                "-- MySQL dump 10.13\nINSERT INTO `t` VALUES (1,0x",
                hex().into_bytes(),
                ");\n-- Dump completed\n",
            ),
            File::NoBackslash => (
                "-- MySQL dump 10.13\nSET SQL_MODE='NO_BACKSLASH_ESCAPES';\nINSERT INTO `t` VALUES (1,'",
                replaced(text, &[QUOTE]),
                "');\n-- Dump completed\n",
            ),
            File::Tsv => (
                "1\t",
                replaced(text, &[(9, "\\t"), (10, "\\n"), (b'\\', "\\\\")]),
                "\t\\N\n",
            ),
            File::Insert => (PG_INSERT, replaced(text, &[QUOTE]), PG_INSERT_END),
            File::Extended => {
                let list = [(10, "\\n"), (13, "\\r"), (9, "\\t"), (b'\\', "\\\\"), QUOTE];
                (PG_EXTENDED, replaced(text, &list), PG_INSERT_END)
            }
            File::Copy => (PG_COPY, replaced(text, &COPY), PG_COPY_END),
            File::Bytea => (
                PG_INSERT,
                format!("\\x{}", hex()).into_bytes(),
                PG_INSERT_END,
            ),
            File::ByteaCopy => (PG_COPY, format!("\\\\x{}", hex()).into_bytes(), PG_COPY_END),
            File::Sqlite => (SQLITE, quoted(text), SQLITE_END),
            File::Replace => {
                let list = [(10, "\\n"), (13, "\\r"), QUOTE];
                let value = replaced(text, &list);
                let value = [b"'", &value[..], b"'"].concat();
                let value = match text.contains(&13) {
                    true => [
                        b"replace(replace(",
                        &value[..],
                        b",'\\r',char(13)),'\\n',char(10))",
                    ]
                    .concat(),
                    false => [b"replace(", &value[..], b",'\\n',char(10))"].concat(),
                };
                (SQLITE, value, SQLITE_END)
            }
            File::Unistr => {
                let mut value = b"unistr('".to_vec();
                for &byte in text {
                    match byte {
                        0..32 => value.extend(format!("\\u{byte:04x}").bytes()),
                        b'\\' => value.extend(b"\\\\"),
                        b'\'' => value.extend(b"''"),
                        _ => value.push(byte),
                    }
                }
                value.extend(b"')");
                (SQLITE, value, SQLITE_END)
            }
            File::Xml => (XML, entity(Entity::Named, text), XML_END),
            File::Cdata => {
                let mut value = Vec::new();
                for byte in text {
                    value.push(*byte);
                    if value.ends_with(b"]]>") {
                        value.pop();
                        value.extend(b"]]><![CDATA[>");
                    }
                }
                (CDATA, value, CDATA_END)
            }
            File::Csv => {
                let value = replaced(text, &[(b'"', "\"\"")]);
                ("\"id\",\"v\"\n\"1\",\"", value, "\"\n")
            }
        };
        [begin.as_bytes(), &value, end.as_bytes()].concat()
    }
}

fn quoted(text: &[u8]) -> Vec<u8> {
    [b"'", &replaced(text, &[QUOTE])[..], b"'"].concat()
}

const PG_INSERT: &str = "--\n-- PostgreSQL database dump\n--\n\n\\restrict x\n\nSET standard_conforming_strings = on;\nINSERT INTO public.t VALUES (1, '";
const PG_EXTENDED: &str = "--\n-- PostgreSQL database dump\n--\nSET standard_conforming_strings = on;\nINSERT INTO public.t VALUES (1, E'";
const PG_INSERT_END: &str = "');\n--\n-- PostgreSQL database dump complete\n--\n";
const PG_COPY: &str = "--\n-- PostgreSQL database dump\n--\nSET standard_conforming_strings = on;\nCOPY public.t (k, v) FROM stdin;\n1\t";
const PG_COPY_END: &str = "\n\\.\n--\n-- PostgreSQL database dump complete\n--\n";
const SQLITE: &str =
    "PRAGMA foreign_keys=OFF;\nBEGIN TRANSACTION;\nCREATE TABLE t(k, v);\nINSERT INTO t VALUES(1,";
const SQLITE_END: &str = ");\nCOMMIT;\n";
const XML: &str = "<?xml version=\"1.0\"?>\n<mysqldump><database name=\"x\"><table_data name=\"t\"><row><field name=\"v\">";
const XML_END: &str = "</field></row></table_data></database></mysqldump>\n";
const CDATA: &str = "<?xml version=\"1.0\"?>\n<rss><channel><item><wp:meta_value><![CDATA[";
const CDATA_END: &str = "]]></wp:meta_value></item></channel></rss>\n";
