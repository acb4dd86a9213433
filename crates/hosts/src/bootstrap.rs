//! The command that `ssh` runs on a host: it finds this program there or receives it, makes our folder,
//! and becomes the agent. One connection does everything, so the user authenticates once for each host.
//!
//! ```text
//! host                                         controller
//!   stripewise-host TOKEN Linux x86_64 stripewise 0.1.0  ->  the version found there, or nothing
//!        <-  found | copy BYTES | leave
//!   send                                            ->   only after `copy`
//!        <-  the bytes of the program
//!   (the agent's first message)                     ->
//! ```
//!
//! No text of the user, of a study or of an inventory reaches the remote shell: the script is a constant,
//! its argument a token of hexadecimal digits, and all else travels in messages.

use std::fmt::Write as _;

use crate::folder::Token;

/// What the line begins with that ends whatever a host prints at login; the token follows.
const GREETING: &str = "stripewise-host";
/// What a host prints when it waits for the program.
pub(crate) const SEND: &str = "stripewise-send";

/// Returns what the line of a host begins with that has found out what it is and has.
pub(crate) fn greeting(token: &Token) -> String {
    format!("{GREETING} {} ", token.as_str())
}

/// The steps of the script, for any POSIX shell. They have no `'`, `\`, `!` or line feed, which csh and
/// fish treat differently within quotes.
///
/// The shell waits for the program, so that its exit code tells a killed program from a lost connection, and
/// a program that cannot run there is removed again.
const STEPS: [&str; 13] = [
    "umask 077",
    r#"d="${XDG_CACHE_HOME:-$HOME/.cache}/stripewise/hosts""#,
    r#"f="$d/$1""#,
    "p=$(command -v stripewise 2>/dev/null)",
    r#"test -x "$f/stripewise" && p="$f/stripewise""#,
    r#"v=; test -n "$p" && v=$("$p" --version 2>/dev/null)"#,
    r#"echo; echo "stripewise-host $1 $(uname -s) $(uname -m) $v""#,
    r#"read -r a n || exit 90; test "$a" = leave && exit 0"#,
    r#"mkdir -p "$d" && { test -d "$f" || mkdir "$f"; } || exit 91"#,
    r#"if test "$a" = copy; then p="$f/stripewise"; echo stripewise-send; head -c "$n" >"$p.new"; test "$(wc -c <"$p.new")" -eq "$n" && chmod 700 "$p.new" && mv "$p.new" "$p" || { rm -f "$p.new"; rmdir "$f"; exit 92; }; fi"#,
    r#""$p" host-agent --folder "$f"; c=$?"#,
    r#"case $c in 126|127) rm -f "$f/stripewise"; rmdir "$f";; esac"#,
    "exit $c",
];

/// Returns the command for `ssh`. The login shell of the user there runs it, whichever that is.
pub(crate) fn command(token: &Token) -> String {
    let script = STEPS.join("; ");
    format!(
        "exec sh -c {} stripewise {}",
        quoted(&script),
        quoted(token.as_str())
    )
}

/// Returns a word that any login shell passes on unchanged.
///
/// POSIX (XCU 2.2.2): within single quotes every character is literal, and a single quote cannot occur; it
/// is written as `'\''`.
pub(crate) fn quoted(word: &str) -> String {
    let mut quoted = String::with_capacity(word.len() + 2);
    quoted.push('\'');
    for part in word.split_inclusive('\'') {
        match part.strip_suffix('\'') {
            Some(part) => write!(quoted, "{part}'\\''").expect("a string takes all"),
            None => quoted.push_str(part),
        }
    }
    quoted.push('\'');
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use stripewise_process::Program;
    use stripewise_study::world::NeverCancel;

    const SH: Program = Program::new("sh", "dash");

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(16))]
        #[test]
        fn a_shell_passes_any_quoted_word_on_unchanged(word in "[^\0]{0,60}") {
            let script = format!("printf %s {}", quoted(&word));
            let printed = SH.call(["-c", &script]).run(&mut NeverCancel).unwrap();
            prop_assert_eq!(String::from_utf8_lossy(&printed.stdout), word);
        }
    }

    #[test]
    fn the_script_is_the_same_in_every_shell() {
        assert!(!STEPS.concat().contains(['\'', '\\', '!', '\n']));
        let token = Token::of(&"0a".repeat(16)).unwrap();
        assert!(command(&token).ends_with("' stripewise '0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a'"));
    }
}
