//! A program of the user's as the load of a stack: its lines are read as it prints them, and its check
//! says which values are there after a cut.

use std::io::{ErrorKind, PipeReader};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};
use stripewise_database::Lines;
use stripewise_powercut::built_stack::Recovery;
use stripewise_powercut::load::Target;
use stripewise_powercut::promise::{Found, Line, Pattern};
use stripewise_process::{CallError, Child};
use stripewise_study::cut::{RecoveryFailure, RecoveryStep};
use stripewise_study::program::Program;
use stripewise_study::world::{NeverCancel, WorldError};
use stripewise_units::visible::visible_line;

use crate::sandbox::{self, Phase, is_not_set_up};
use crate::wire::{FOUND_MAX, Printed};

/// How long we wait for a line before we look whether to stop.
const LOOK_INTERVAL: Duration = Duration::from_millis(20);
/// The most lines of a load that count: each is in memory until the recording ends.
const LINES_MAX: usize = 1 << 18;
/// The most bytes that a check prints, and that fit into one answer.
const FOUND_BYTES_MAX: usize = 8 << 20;
/// How much of a program's errors is shown.
const SHOWN_CHARS_MAX: usize = 600;

const RUN: &str = "failed to run the program";

/// Makes its directory, and refuses a sandbox that does not work.
pub(super) fn lay_out(program: &Program, target: &Target) -> Result<(), WorldError> {
    sandbox::lay_out(program, mount(target)?)
}

fn mount(target: &Target) -> Result<&Path, WorldError> {
    match target {
        Target::Directory(directory) => Ok(directory),
        Target::Device(_) => Err(WorldError::plain("a program needs a filesystem")
            .or_hint("add `filesystem = \"ext4\"` to the stack")),
    }
}

/// Runs the load until `stop` is set, and passes on each line that counts. A program that ends with
/// exit code 0 before is quiet from then on.
pub(super) fn run(
    program: &Program,
    target: &Target,
    stop: &AtomicBool,
    printed: &(dyn Fn(Printed) + Sync),
) -> Result<(), WorldError> {
    let failed = |error: std::io::Error| WorldError::failed(RUN, error);
    let pattern = pattern(program)?;
    let (output, theirs) = std::io::pipe().map_err(failed)?;
    let call = sandbox::call(program, Phase::Load, mount(target)?);
    let child = call.limit(Duration::MAX).stdout(theirs).start();
    let mut child = child.map_err(|error| error.while_trying(RUN))?;
    follow(output, &pattern, stop, printed)?;
    // Its output has ended, or it is stopped: killed, as the power would.
    while !stop.load(Ordering::Relaxed) {
        match child.wait_at_most(LOOK_INTERVAL).map_err(failed)? {
            None => {}
            Some(status) if status.success() => {
                printed(now(Line::Ended));
                while !stop.load(Ordering::Relaxed) {
                    std::thread::sleep(LOOK_INTERVAL);
                }
            }
            Some(status) => {
                let why = format!("it ended with {status}{}", shown(&child));
                return Err(WorldError::failed(RUN, why).or_hint(
                    "run it by itself first; the sandbox shows it `/stack`, system directories, and what `files` names",
                ));
            }
        }
    }
    Ok(())
}

/// Reads lines until the output ends or `stop` is set.
fn follow(
    output: PipeReader,
    pattern: &Option<Pattern>,
    stop: &AtomicBool,
    printed: &(dyn Fn(Printed) + Sync),
) -> Result<(), WorldError> {
    let mut lines = Lines::of(output);
    let mut count = 0;
    while !stop.load(Ordering::Relaxed) {
        let line = match lines.next(LOOK_INTERVAL) {
            Ok(Some(line)) => line,
            Ok(None) => return Ok(()),
            Err(error) if error.kind() == ErrorKind::TimedOut => continue,
            Err(error) => return Err(WorldError::failed(RUN, error)),
        };
        let line = String::from_utf8_lossy(&line);
        let read = Line::parse(&line, pattern.as_ref());
        if let Some(line) = read.map_err(|error| WorldError::failed(RUN, error).or_hint(FORM))? {
            count += 1;
            if count > LINES_MAX {
                let why = format!("it printed more than {LINES_MAX} lines that count");
                return Err(WorldError::failed(RUN, why)
                    .or_hint("acknowledge fewer records, or shorten `sample`"));
            }
            printed(now(line));
        }
    }
    Ok(())
}

const FORM: &str = "`stripewise help pull-plug` lists the lines of a program";

/// Returns a line with the time by the clock that all processes of this machine share.
fn now(line: Line) -> Printed {
    let time = clock_gettime(ClockId::Monotonic);
    let seconds = u64::try_from(time.tv_sec).unwrap_or_default();
    let rest = u64::try_from(time.tv_nsec).unwrap_or_default();
    Printed {
        clock_ns: seconds * 1_000_000_000 + rest,
        line,
    }
}

fn pattern(program: &Program) -> Result<Option<Pattern>, WorldError> {
    let pattern = program.acknowledgement.as_deref().map(Pattern::parse);
    let pattern = pattern.transpose();
    pattern.map_err(|error| WorldError::failed("failed to read `acknowledgement`", error))
}

/// Returns the last that a program printed to standard error, as the end of a sentence.
fn shown(child: &Child) -> String {
    let errors = child.read_stderr(1 << 20).unwrap_or_default();
    match last_words(&errors) {
        words if words.is_empty() => String::new(),
        words => format!("; it printed: {words}"),
    }
}

fn last_words(errors: &[u8]) -> String {
    let errors = String::from_utf8_lossy(errors);
    let lines = errors.lines().map(visible_line);
    let lines: Vec<_> = lines.filter(|line| !line.trim().is_empty()).collect();
    let text = lines[lines.len().saturating_sub(6)..].join(" | ");
    text.chars().take(SHOWN_CHARS_MAX).collect()
}

/// Recovers, and returns what the check prints.
pub(super) fn look(program: &Program, target: &Target) -> Result<Recovery, WorldError> {
    let mount = mount(target)?;
    let pattern = pattern(program)?;
    let phases = [Phase::Recover, Phase::Check];
    let mut output = Vec::new();
    for phase in phases {
        if phase == Phase::Recover && program.recover.is_none() {
            continue;
        }
        output = match sandbox::call(program, phase, mount).run(&mut NeverCancel) {
            Ok(printed) => printed.stdout,
            // The check does not open the store.
            Err(CallError::Failed {
                status, printed, ..
            }) if !is_not_set_up(&printed.stderr) => {
                let words = last_words(&printed.stderr);
                let reason = format!("{} ended with {status}: {words}", phase.word());
                let step = RecoveryStep::Start;
                return Ok(Recovery::Failed(RecoveryFailure { step, reason }));
            }
            Err(error) => return Err(error.while_trying("failed to read what the program stored")),
        };
    }
    let values = found(&output, &pattern)?;
    Ok(Recovery::Values {
        values,
        damage: None,
    })
}

fn found(output: &[u8], pattern: &Option<Pattern>) -> Result<Vec<Found>, WorldError> {
    let failed = |why: String| WorldError::failed("failed to read what the check printed", why);
    let text = String::from_utf8_lossy(output);
    let (mut values, mut bytes) = (Vec::new(), 0);
    for line in text.lines() {
        let read = Line::parse(line, pattern.as_ref());
        let one = match read.map_err(|error| failed(error.to_string()).or_hint(FORM))? {
            Some(Line::Ack { id, value }) => Found {
                id,
                value: Some(value),
            },
            Some(Line::Error { id }) => Found { id, value: None },
            _ => continue,
        };
        bytes += line.len() + 16;
        values.push(one);
    }
    if values.len() > FOUND_MAX || bytes > FOUND_BYTES_MAX {
        let why = format!("it printed {} records of {bytes} bytes", values.len());
        return Err(failed(why).or_hint("at most 65536 records and 8 MiB: shorten `sample`"));
    }
    Ok(values)
}
