//! The user's own `ssh`: how it is called, and what its errors mean.

use stripewise_process::{Call, Program};

use crate::bootstrap;
use crate::destination::of_bracketed;
use crate::folder::Token;

const SSH: Program = Program::new("ssh", "openssh-client");

/// Our options. All else (keys, agent, jump hosts, ports, known hosts, a shared connection) is the user's
/// `~/.ssh/config`; nothing here weakens it.
///
/// - `BatchMode`: no question that nobody would answer, so an unknown host key is refused;
/// - `ControlMaster=no`: a shared connection of the user is used, but none is begun, as it would outlive us;
/// - `ClearAllForwardings`: forwardings of the configuration would collide, and are not needed;
/// - `EscapeChar=none`, `-T`: what travels is no terminal.
const OPTIONS: [&str; 11] = [
    "-T",
    "-o",
    "BatchMode=yes",
    "-o",
    "ControlMaster=no",
    "-o",
    "ConnectTimeout=10",
    "-o",
    "ClearAllForwardings=yes",
    "-o",
    "EscapeChar=none",
];

/// Returns the call that starts the bootstrap on a host. The destination has been checked, and follows
/// `--`.
pub(crate) fn call(destination: &str, token: &Token) -> Call {
    let call = SSH.call(OPTIONS);
    let command = bootstrap::command(token);
    match of_bracketed(destination) {
        Some((destination, None)) => call.args(["--", &destination, &command]),
        Some((destination, Some(port))) => call.args(["-p", port, "--", &destination, &command]),
        None => call.args(["--", destination, &command]),
    }
}

/// What `ssh` prints, and what to do about it.
const KNOWN: [(&str, &str); 6] = [
    (
        "REMOTE HOST IDENTIFICATION HAS CHANGED",
        "the host has another key than before: find out why; if it was reinstalled, `ssh-keygen -R HOST` forgets the old key",
    ),
    (
        "Host key verification failed",
        "its key is unknown here: run `ssh HOST` once, and compare the key that it shows with that of the host (`ssh-keygen -lf /etc/ssh/ssh_host_ed25519_key.pub` there); Stripewise never accepts a key for you",
    ),
    (
        "Permission denied",
        "no key of yours opens it: `ssh-add` loads one into your agent; passwords are not asked for",
    ),
    (
        "Could not resolve hostname",
        "the name is in neither `~/.ssh/config` nor DNS",
    ),
    (
        "Connection refused",
        "no `sshd` answers there; a port can stand in `~/.ssh/config` or in `ssh://HOST:PORT`",
    ),
    (
        "onnection timed out",
        "nothing answers at that address: is the host up, and the way to it open?",
    ),
];

/// Returns what to do about what `ssh` printed, if that is known.
pub(crate) fn hint(printed: &str) -> Option<&'static str> {
    let known = KNOWN.iter().find(|(text, _)| printed.contains(text));
    known.map(|(_, hint)| *hint)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_weakens_the_users_ssh() {
        let token = Token::of(&"0".repeat(32)).unwrap();
        let call = call("web1", &token);
        let arguments: Vec<_> = call
            .command()
            .get_args()
            .map(|one| one.to_string_lossy())
            .collect();
        let end = arguments.iter().position(|one| one == "--").unwrap();
        assert_eq!(arguments[end + 1], "web1");
        assert_eq!(arguments.len(), end + 3);
        let options = arguments[..end].join(" ").to_lowercase();
        for never in [
            "hostkey",
            "knownhosts",
            "password",
            "identit",
            "agent",
            "cipher",
            "-a",
            "-i",
        ] {
            assert!(
                !options.split(' ').any(|one| one.contains(never)),
                "{options}"
            );
        }
        assert!(options.contains("batchmode=yes"));
    }
}
