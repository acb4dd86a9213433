//! The slow way to the right dump: values are written with the new address from the beginning, so
//! nothing in them is replaced. Tests and the fuzzer compare with it.
#![allow(dead_code, reason = "the fuzzer has no use for keys of their own")]

/// A value of PHP.
#[derive(Debug, Clone)]
pub(crate) enum Value {
    Whole(i64),
    /// An address stands where `@` is.
    Text(Vec<u8>),
    List(Vec<(Value, Value)>),
    Object(Vec<(Value, Value)>),
    /// A string that holds another serialized value.
    Nested(Box<Value>),
    /// A string that holds JSON, in whose string is another serialized value.
    Json(Box<Value>, Json),
}

/// How JSON is written.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Json {
    /// How often JSON is in a string of JSON.
    pub(crate) levels: u8,
    /// Whether `/` is `\/`, as PHP's `json_encode` writes it.
    pub(crate) slash: bool,
}

/// Writes a value as the manual of `serialize` describes it.
pub(crate) fn serialized(value: &Value, address: &[u8]) -> Vec<u8> {
    with_keys(value, address, address)
}

/// Writes a value, with another address in keys.
pub(crate) fn with_keys(value: &Value, address: &[u8], in_keys: &[u8]) -> Vec<u8> {
    let body = |pairs: &[(Value, Value)]| {
        let mut out = b"{".to_vec();
        for (key, value) in pairs {
            out.extend(with_keys(key, in_keys, in_keys));
            out.extend(with_keys(value, address, in_keys));
        }
        out.push(b'}');
        out
    };
    match value {
        Value::Whole(number) => format!("i:{number};").into_bytes(),
        Value::Text(text) => string(&filled(text, address)),
        Value::Nested(value) => string(&with_keys(value, address, in_keys)),
        Value::Json(value, style) => string(&json(&with_keys(value, address, in_keys), *style)),
        Value::List(pairs) => [format!("a:{}:", pairs.len()).into_bytes(), body(pairs)].concat(),
        Value::Object(pairs) => [
            format!("O:5:\"Thing\":{}:", pairs.len()).into_bytes(),
            body(pairs),
        ]
        .concat(),
    }
}

fn string(text: &[u8]) -> Vec<u8> {
    let mut out = format!("s:{}:\"", text.len()).into_bytes();
    out.extend(text);
    out.extend(b"\";");
    out
}

/// Writes a text as the string of an object of JSON.
pub(crate) fn json(text: &[u8], style: Json) -> Vec<u8> {
    let mut text = text.to_vec();
    for _ in 0..style.levels {
        let mut out = b"{\"n\":1,\"k\":\"".to_vec();
        for byte in text {
            match byte {
                b'/' if style.slash => out.extend(b"\\/"),
                b'"' | b'\\' => out.extend([b'\\', byte]),
                0..32 => out.extend(format!("\\u{byte:04x}").as_bytes()),
                _ => out.push(byte),
            }
        }
        out.extend(b"\"}");
        text = out;
    }
    text
}

/// Puts the address where `@` stands.
fn filled(text: &[u8], address: &[u8]) -> Vec<u8> {
    let parts: Vec<&[u8]> = text.split(|byte| *byte == b'@').collect();
    parts.join(address)
}

/// Quotes as mysqldump does.
pub(crate) fn quoted(value: &[u8]) -> Vec<u8> {
    let mut out = b"'".to_vec();
    for byte in value {
        match byte {
            0 => out.extend(b"\\0"),
            b'\n' => out.extend(b"\\n"),
            b'\r' => out.extend(b"\\r"),
            0x1a => out.extend(b"\\Z"),
            b'\'' | b'"' | b'\\' => out.extend([b'\\', *byte]),
            _ => out.push(*byte),
        }
    }
    out.push(b'\'');
    out
}
