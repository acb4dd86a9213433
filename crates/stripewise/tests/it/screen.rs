//! The screen of a run, on a real terminal: tmux draws it, is resized, and says what a user reads.
//!
//! The failure: a program that draws on the whole screen died of Ctrl-C, and left a terminal that showed
//! neither its last words nor the shell's.

use std::path::PathBuf;
use std::process::{Command, Output};

use crate::support::{Bench, LONG, skip, until_shown};

/// A terminal in a tmux server of its own.
struct Terminal {
    socket: PathBuf,
}

impl Terminal {
    /// Starts a shell in a terminal of this size; `None` without tmux, loudly.
    fn start(bench: &Bench, columns: u16, rows: u16) -> Option<Self> {
        if Command::new("tmux").arg("-V").output().is_err() {
            skip(
                "the screen of a run on a real terminal",
                "tmux is not installed",
            );
            return None;
        }
        let terminal = Self {
            socket: bench.path("tmux"),
        };
        let mut command = bench.isolate(Command::new("tmux"));
        command
            .env("PS1", "ready> ")
            .env("LC_ALL", "C.UTF-8")
            .env("TERM", "xterm-256color");
        command.arg("-S").arg(&terminal.socket);
        command.args(["-u", "-f", "/dev/null", "new-session", "-d"]);
        let size = ["-x", &columns.to_string(), "-y", &rows.to_string()].map(str::to_owned);
        let done = command.args(size).arg("sh").output().unwrap();
        assert!(
            done.status.success(),
            "{}",
            String::from_utf8_lossy(&done.stderr)
        );
        Some(terminal)
    }

    fn ask(&self, words: &[&str]) -> Output {
        let mut tmux = Command::new("tmux");
        tmux.arg("-S")
            .arg(&self.socket)
            .args(words)
            .output()
            .unwrap()
    }

    fn keys(&self, keys: &[&str]) {
        assert!(self.ask(&[&["send-keys"], keys].concat()).status.success());
    }

    /// Returns the lines that the terminal shows.
    fn shows(&self) -> String {
        String::from_utf8(self.ask(&["capture-pane", "-p"]).stdout).unwrap()
    }

    /// Returns what it shows once that is as wanted.
    fn until(&self, what: &str, is_wanted: impl Fn(&str) -> bool) -> String {
        until_shown(what, || {
            let text = self.shows();
            if is_wanted(&text) {
                Ok(text)
            } else {
                Err(text)
            }
        })
    }

    /// Waits until the shell answers: its keys may be echoed before it starts to read them.
    fn shell_says(&self, word: &str) {
        self.keys(&[&format!("echo {word}"), "Enter"]);
        let is_answer = |line: &str| line.ends_with(word) && !line.contains("echo");
        self.until("the shell", |text| text.lines().any(is_answer));
    }

    /// Returns whether a program shows its own screen.
    fn is_in_screen(&self) -> bool {
        let answer = self.ask(&["display-message", "-p", "#{alternate_on}"]);
        answer.stdout.starts_with(b"1")
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        self.ask(&["kill-server"]);
    }
}

/// Returns a command line that measures for long.
fn long_run(bench: &Bench, options: &str) -> String {
    let study = bench.write("study.toml", LONG);
    format!(
        "{} run {} --target {} --store {} {options}",
        env!("CARGO_BIN_EXE_stripewise"),
        study.display(),
        bench.target().display(),
        bench.store_path().display()
    )
}

#[test]
fn a_run_draws_its_screen_and_gives_the_terminal_back() {
    let Some(bench) = Bench::new() else { return };
    let Some(terminal) = Terminal::start(&bench, 80, 24) else {
        return;
    };
    terminal.shell_says("before");
    terminal.keys(&[&long_run(&bench, "--live --language de"), "Enter"]);
    terminal.until("the screen", |text| {
        text.contains("Strg-C beendet den Lauf") && text.contains("Messungen")
    });
    assert!(terminal.is_in_screen());
    // Another size: the foot is at the same place, and no line of the old frame is left.
    terminal.ask(&["resize-window", "-x", "50", "-y", "30"]);
    terminal.until("the screen after a resize", |text| {
        text.matches("Strg-C beendet").count() == 1
            && text.lines().all(|line| line.chars().count() <= 50)
    });
    terminal.keys(&["C-c"]);
    let text = terminal.until("the end of the run", |text| {
        text.contains("was interrupted")
    });
    assert!(!terminal.is_in_screen(), "{text}");
    assert!(!text.contains("Strg-C beendet"), "{text}");
    // Nothing is left of the line of progress that was shown before the screen.
    assert!(!text.contains("/101"), "{text}");
    assert!(
        text.lines().any(|line| line.starts_with("error: ")),
        "{text}"
    );
    terminal.shell_says("after");
    drop(terminal);
    bench.assert_clean();
}

#[test]
fn a_killed_run_with_a_screen_keeps_its_samples() {
    let Some(bench) = Bench::new() else { return };
    let Some(terminal) = Terminal::start(&bench, 80, 24) else {
        return;
    };
    let run = long_run(&bench, "--live");
    terminal.keys(&[
        &format!("{run} & sleep 3; kill -9 $!; wait; echo kil''led"),
        "Enter",
    ]);
    terminal.until("the kill", |text| text.contains("killed\n"));
    assert!(!bench.stored_run(1).samples.is_empty());
    // The screen is still there, and the shell is usable on it.
    terminal.shell_says("after");
}
