//! Finds old addresses and broken values in dumps and files after a move.

use std::io::{self, Read};

use crate::pairs::Pairs;
use crate::report::InputReport;
use crate::rewrite::{Options, RewriteError, rewrite};
pub use crate::searched::{FileWithAddresses, SearchedFiles, Unlooked, Unpack, files};

/// Looks through a dump; nothing is written.
///
/// # Errors
/// As [`rewrite`].
pub fn dump(
    input: impl Read,
    pairs: &Pairs,
    options: &Options,
) -> Result<InputReport, RewriteError> {
    rewrite(input, io::sink(), pairs, options)
}

/// What a configuration says of its database.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Database {
    /// `DB_HOST`, with a port or a socket after a colon.
    pub host: String,
    /// `DB_NAME`.
    pub name: String,
    /// `DB_USER`.
    pub user: String,
    /// `DB_PASSWORD`.
    pub password: String,
}

impl Database {
    /// Reads the constants of a `wp-config.php`.
    pub fn of_configuration(text: &str) -> Option<Self> {
        Some(Self {
            host: constant(text, "DB_HOST")?,
            name: constant(text, "DB_NAME")?,
            user: constant(text, "DB_USER")?,
            password: constant(text, "DB_PASSWORD")?,
        })
    }

    /// Reads `mysql://USER:PASSWORD@HOST:PORT/NAME`; characters may be percent-encoded. A socket is
    /// `?socket=PATH` at the end, or the host.
    pub fn of_address(address: &str) -> Option<Self> {
        let rest = address
            .strip_prefix("mysql://")
            .or_else(|| address.strip_prefix("mariadb://"))?;
        let (rest, socket) = match rest.rsplit_once("?socket=") {
            Some((rest, socket)) => (rest, Some(decoded(socket)?)),
            None => (rest, None),
        };
        let (place, name) = rest.rsplit_once('/')?;
        let (account, host) = place.rsplit_once('@').unwrap_or(("", place));
        let host = decoded(host)?;
        let host = match socket {
            // The clients use a socket for this name only.
            Some(socket) if host.is_empty() || host == "localhost" => format!("localhost:{socket}"),
            Some(_) => return None,
            None if host.starts_with('/') => format!("localhost:{host}"),
            None => host,
        };
        let (user, password) = account.split_once(':').unwrap_or((account, ""));
        (!name.is_empty()).then_some(())?;
        Some(Self {
            host,
            name: decoded(name)?,
            user: decoded(user)?,
            password: decoded(password)?,
        })
    }

    /// Returns the arguments of the client; the password goes into its environment (`MYSQL_PWD`).
    pub fn arguments(&self) -> Vec<String> {
        let mut arguments = Vec::new();
        // Colons of IPv6 stand in brackets.
        let (host, port) = match self
            .host
            .strip_prefix('[')
            .and_then(|rest| rest.split_once(']'))
        {
            Some((host, rest)) => (host, rest.strip_prefix(':').unwrap_or("")),
            None => self.host.split_once(':').unwrap_or((&self.host, "")),
        };
        if !host.is_empty() {
            arguments.push(format!("--host={host}"));
        }
        match port {
            "" => {}
            socket if socket.starts_with('/') => arguments.push(format!("--socket={socket}")),
            port => arguments.push(format!("--port={port}")),
        }
        if !self.user.is_empty() {
            arguments.push(format!("--user={}", self.user));
        }
        arguments
    }
}

fn decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let [first, after @ ..] = rest {
        rest = after;
        if *first != b'%' {
            bytes.push(*first);
            continue;
        }
        let digits = std::str::from_utf8(after.get(..2)?).ok()?;
        bytes.push(u8::from_str_radix(digits, 16).ok()?);
        rest = &after[2..];
    }
    String::from_utf8(bytes).ok()
}

/// Reads `define( 'NAME', 'VALUE' );` on a line that is no comment.
fn constant(text: &str, name: &str) -> Option<String> {
    let lines = text.lines().map(str::trim_start);
    lines
        .filter(|line| line.starts_with("define"))
        .find_map(|line| {
            let rest = line.split_once('(')?.1.trim_start();
            let (found, rest) = quoted(rest)?;
            let (value, _) = quoted(rest.trim_start().strip_prefix(',')?.trim_start())?;
            (found == name).then_some(value)
        })
}

/// Reads a quoted text of PHP; returns what follows it, too.
fn quoted(text: &str) -> Option<(String, &str)> {
    let quote = text
        .chars()
        .next()
        .filter(|quote| matches!(quote, '\'' | '"'))?;
    let mut value = String::new();
    let mut characters = text.char_indices().skip(1);
    while let Some((at, character)) = characters.next() {
        match character {
            '\\' => match characters.next()?.1 {
                escaped if escaped == quote || escaped == '\\' => value.push(escaped),
                other => value.extend(['\\', other]),
            },
            end if end == quote => return Some((value, &text[at + end.len_utf8()..])),
            other => value.push(other),
        }
    }
    None
}
