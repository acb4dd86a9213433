//! Programs of util-linux: argument vectors, an empty environment, limits of time and output.

use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use stripewise_machine::clean_word;

/// How much of a program's output is read.
const OUTPUT_BYTES_MAX: u64 = 1 << 20;
/// Where these programs are, also for users whose `PATH` has no `sbin`.
const PLACES: [&str; 4] = ["/usr/sbin", "/sbin", "/usr/bin", "/bin"];

/// How a program ended and what it printed.
pub(crate) struct Output {
    /// Its exit code; nothing if a signal ended it.
    pub(crate) code: Option<i32>,
    pub(crate) stdout: Vec<u8>,
    stderr: Vec<u8>,
}

impl Output {
    /// Returns how it ended, in words.
    pub(crate) fn why(&self) -> String {
        let said = clean_word(&self.stderr).unwrap_or_else(|| "it said nothing".to_owned());
        match self.code {
            Some(code) => format!("it ended with code {code}: {said}"),
            None => format!("it was ended by a signal: {said}"),
        }
    }
}

/// Runs a program of util-linux on `object`, its last argument, within limits of time and output.
///
/// # Errors
/// If it is missing, cannot be started or takes too long, in words. That it failed is no error.
pub(crate) fn run(
    tool: &str,
    arguments: &[&str],
    object: &Path,
    time_max: Duration,
) -> Result<Output, String> {
    let found = PLACES
        .iter()
        .map(|place| Path::new(place).join(tool))
        .find(|path| path.exists());
    let Some(program) = found else {
        return Err(format!(
            "there is no `{tool}` in {}; it is in the package `util-linux`",
            PLACES.join(", ")
        ));
    };
    let mut child = Command::new(program)
        .args(arguments)
        .arg(object)
        .env_clear()
        .env("LC_ALL", "C")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| error.to_string())?;
    let stdout = child.stdout.take().map(read_aside);
    let stderr = child.stderr.take().map(read_aside);
    let began = Instant::now();
    let status = loop {
        match child.try_wait() {
            Ok(Some(status)) => break status,
            Ok(None) if began.elapsed() < time_max => {
                std::thread::sleep(Duration::from_millis(2));
            }
            _ => {
                // It may hang in the kernel for good: nobody waits for it then.
                let _ = child.kill();
                return Err(format!("it took longer than {} s", time_max.as_secs()));
            }
        }
    };
    let collect = |reader: Option<std::thread::JoinHandle<Vec<u8>>>| {
        reader
            .and_then(|reader| reader.join().ok())
            .unwrap_or_default()
    };
    Ok(Output {
        code: status.code(),
        stdout: collect(stdout),
        stderr: collect(stderr),
    })
}

/// Reads a pipe in a thread of its own, so that neither pipe can block the program.
fn read_aside(pipe: impl Read + Send + 'static) -> std::thread::JoinHandle<Vec<u8>> {
    std::thread::spawn(move || {
        let mut pipe = pipe;
        let mut bytes = Vec::new();
        // What could be read is what there is.
        let _ = pipe.by_ref().take(OUTPUT_BYTES_MAX).read_to_end(&mut bytes);
        let _ = std::io::copy(&mut pipe, &mut std::io::sink());
        bytes
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONG: Duration = Duration::from_secs(30);

    #[test]
    fn a_missing_program_is_named_with_its_package() {
        let why = run("no-such-wipefs", &[], Path::new("/dev/null"), LONG);
        let why = why.err().unwrap();
        assert!(
            why.contains("no-such-wipefs") && why.contains("package `util-linux`"),
            "{why}"
        );
    }

    #[test]
    fn a_program_that_hangs_is_ended_and_one_that_fails_is_quoted() {
        let began = Instant::now();
        let why = run("sleep", &[], Path::new("60"), Duration::from_millis(100));
        assert!(why.err().unwrap().contains("took longer"));
        assert!(began.elapsed() < LONG);
        let output = run("cat", &[], Path::new("/dev/stripewise\u{1b}[31m"), LONG).unwrap();
        assert_eq!(output.code, Some(1));
        let why = output.why();
        assert!(
            why.contains("ended with code 1") && !why.contains('\u{1b}'),
            "{why}"
        );
    }
}
