//! Where a store is: a SQLite file, or a PostgreSQL server.
//!
//! A store is named by a path everywhere, so that every command takes both. `postgres://...`,
//! `postgresql://...` and `service=NAME` are addresses of a server; a file of such a name is `./NAME`.

use std::path::{Path, PathBuf};

use crate::error::StoreError;

/// The address of a store on a server, without a password.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Address {
    path: PathBuf,
    text: String,
}

impl Address {
    /// Returns the address that a path is; `None` if it names a file.
    ///
    /// # Errors
    /// [`StoreError::Password`] if it has a password: other users see the arguments of a process.
    pub fn of(path: &Path) -> Result<Option<Address>, StoreError> {
        let Some(text) = path.to_str().filter(|text| is_address(text)) else {
            return Ok(None);
        };
        if has_password(text) {
            return Err(StoreError::Password);
        }
        Ok(Some(Address {
            path: path.to_owned(),
            text: text.to_owned(),
        }))
    }

    /// Returns it as the store is named.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns it for libpq.
    pub fn text(&self) -> &str {
        &self.text
    }
}

/// Returns whether a path names a store on a server; it may still be refused.
pub fn is_on_server(path: &Path) -> bool {
    path.to_str().is_some_and(is_address)
}

const SCHEMES: [&str; 2] = ["postgres://", "postgresql://"];

fn is_address(text: &str) -> bool {
    text.starts_with("service=") || SCHEMES.iter().any(|scheme| text.starts_with(scheme))
}

/// Returns whether a URL or `service=...` has a password, written in any way.
fn has_password(text: &str) -> bool {
    let rest = SCHEMES.iter().find_map(|scheme| text.strip_prefix(scheme));
    let Some(rest) = rest else {
        return names_password(text);
    };
    let (before, query) = rest.split_once('?').unwrap_or((rest, ""));
    // Before the first slash, as libpq reads it, but a password may have one.
    let user = before.rsplit_once('@').map_or("", |(user, _)| user);
    user.contains(':') || user.to_ascii_lowercase().contains("%3a") || names_password(query)
}

/// Returns whether a parameter is named `password`, `sslpassword` or the like.
fn names_password(parameters: &str) -> bool {
    let text = decoded(parameters).to_ascii_lowercase();
    let text: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    text.contains("password=")
}

/// Returns a text with its `%70` as characters; what is no such code stays.
fn decoded(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let [first, others @ ..] = rest {
        let code = (*first == b'%').then(|| others.get(..2)).flatten();
        let code = code.and_then(|code| std::str::from_utf8(code).ok());
        match code.and_then(|code| u8::from_str_radix(code, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                rest = &others[2..];
            }
            None => {
                bytes.push(*first);
                rest = others;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_in_an_address_is_refused_however_it_is_written() {
        for text in [
            "postgres://ann:secret@db/runs",
            "postgresql://ann:@db/runs",
            "postgres://ann%3Asecret@db/runs",
            "postgres://ann:s/e@db/runs",
            "postgres://db/runs?password=secret",
            "postgres://db/runs?user=ann&pass%77ord=secret",
            "postgres://db/runs?sslpassword=secret",
            "service=runs password=secret",
            "service=runs PASSWORD = 'secret'",
        ] {
            let refused = Address::of(Path::new(text));
            assert!(matches!(refused, Err(StoreError::Password)), "{text}");
            assert!(!refused.unwrap_err().to_string().contains("secret"));
        }
    }

    #[test]
    fn addresses_and_files_are_told_apart() {
        for text in [
            "postgres://db/runs",
            "postgresql:///runs?host=/run/postgresql",
            "postgres://ann@db:5433/runs?sslmode=verify-full&passfile=/home/ann/pass",
            "postgres://[::1]:5432/runs",
            "service=runs",
        ] {
            let address = Address::of(Path::new(text)).unwrap().unwrap();
            assert_eq!(address.text(), text);
        }
        for text in ["runs.db", "./service=runs", "/srv/postgres://x", "postgres"] {
            assert_eq!(Address::of(Path::new(text)).unwrap(), None, "{text}");
        }
    }
}
