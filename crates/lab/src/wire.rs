//! The protocol between host and guest: JSON, one message per line, over a virtual serial port.
//!
//! ```text
//! host                            guest
//!   <------------ ready -----------
//!   ---- hello {disks} ----------->   loads the disk module, adds the disks, opens its world
//!   <------------ done ------------
//!   ---- facts, check, prepare, measure, restore ---->
//!   ---- build, load, look ------->   a stack whose power is cut; a load sends acknowledgements
//!   <------------ tick ------------   about four times a second of the guest's time
//!   ---- stop -------------------->   stops the current request
//!   <---- done | failed -----------
//! ```
//!
//! One request runs at a time. Neither side trusts the other: lines are bounded, and a malformed
//! line is an error that quotes its beginning.

use std::error::Error;
use std::fmt;

use crate::durability_load::DurabilityLoad;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use stripewise_powercut::built_stack::{BuiltStack, Recovery};
use stripewise_powercut::load::Acknowledged;
use stripewise_powercut::promise::Line;
use stripewise_study::cell::Cell;
use stripewise_study::facts::Facts;
use stripewise_study::limits::{
    DEVICES_MAX, JsonLimits, ListLimit, OURS, TREE_ENTRY_BYTES, VOCABULARY,
};
use stripewise_study::sample::Sample;
use stripewise_study::warning::Warning;
use stripewise_study::world::{Change, ReplayedIo, SampleRequest, WorldError, WorldName};
use stripewise_units::visible::is_hidden;

use crate::disk::DiskName;
use crate::text::{on_one_line, printable};

/// The name of the serial port.
pub const PORT_NAME: &str = "stripewise";

/// The longest message.
pub const LINE_BYTES_MAX: usize = 16 << 20;

/// The limits of a message. It is parsed as maps first, so that we can clean its texts.
const LIMITS: JsonLimits = JsonLimits {
    lists: &[
        &[
            ListLimit::of::<Disk>("disks", DEVICES_MAX),
            ListLimit::of::<String>("causes", CAUSES_MAX),
            // The I/Os of a replay, one list per job.
            ListLimit::of::<Vec<ReplayedIo>>("jobs", JOBS_MAX).of_lists_of::<ReplayedIo>(1 << 20),
            ListLimit::of::<u16>("failed", DEVICES_MAX),
            ListLimit::of::<HeldDisk>("held", DEVICES_MAX),
            ListLimit::of::<Change>("changes", 4 * DEVICES_MAX),
            ListLimit::of::<Acknowledged>("all", JOBS_MAX),
            ListLimit::of::<Printed>("lines", PRINTED_MAX),
            ListLimit::of::<Vec<String>>("values", FOUND_MAX).of_lists_of::<String>(3),
            ListLimit::of::<Vec<u64>>("intact", PLACES_MAX).of_lists_of::<u64>(3),
            ListLimit::of::<Vec<u64>>("changed", PLACES_MAX).of_lists_of::<u64>(6),
        ],
        VOCABULARY,
    ],
    other_entry_bytes: TREE_ENTRY_BYTES / 11,
    object_bytes: TREE_ENTRY_BYTES,
    ..OURS
};

/// The most jobs of a replay: fio's limit on one host.
const JOBS_MAX: usize = 4096;

/// The most lines of a program in one message.
pub(crate) const PRINTED_MAX: usize = 4096;

/// The most records that the check of a program finds.
pub const FOUND_MAX: usize = 1 << 16;

/// The most places of all writers of a load whose power is cut.
pub const PLACES_MAX: usize = 1 << 16;

/// How much of a malformed message an error shows.
const SHOWN_CHARS_MAX: usize = 120;

/// The most causes sent with an error.
const CAUSES_MAX: usize = 16;

/// A modelled disk that the guest must add.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Disk {
    /// Its device profile.
    pub profile: String,
    /// Its name in the guest.
    pub name: DiskName,
    /// Whether the real one has many queues, so that the kernel gives it no I/O scheduler.
    pub has_many_queues: bool,
    /// The command for the disk module.
    pub command: String,
}

/// A disk whose data, and volatile cache, are on the host.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HeldDisk {
    /// Its device profile.
    pub profile: String,
    /// Its serial number, by which the guest finds it.
    pub serial: String,
}

/// A message from the host.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "ask", rename_all = "snake_case")]
pub enum ToGuest {
    /// Add these disks, and open a world on them.
    Hello {
        /// The disks.
        disks: Vec<Disk>,
        /// The disks on the host.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        held: Vec<HeldDisk>,
        /// Whether the guest's time is virtual.
        is_virtual_time: bool,
    },
    /// [`World::facts`](stripewise_study::world::World::facts).
    Facts,
    /// [`World::check`](stripewise_study::world::World::check).
    Check {
        /// The cells.
        cells: Vec<Cell>,
    },
    /// [`World::prepare`](stripewise_study::world::World::prepare).
    Prepare {
        /// The cell.
        cell: Box<Cell>,
    },
    /// [`World::measure`](stripewise_study::world::World::measure).
    Measure {
        /// The cell.
        cell: Box<Cell>,
        /// The sample.
        request: SampleRequest,
    },
    /// [`World::restore`](stripewise_study::world::World::restore).
    Restore,
    /// Build the stack of a cell on disks of the host, lay its load out, and stop it.
    Build {
        /// The cell.
        cell: Box<Cell>,
        /// The load.
        work: DurabilityLoad,
    },
    /// Bring a stack up and run its load until the power goes.
    Load(Box<LoadOnStack>),
    /// Bring a stack up after a cut, and read everything.
    Look(Box<LoadOnStack>),
    /// Run a shell on the console until it exits.
    Shell,
    /// Stop the current request; this has no answer of its own.
    Stop,
}

/// What to do with a stack that was built before.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LoadOnStack {
    /// The cell.
    pub cell: Cell,
    /// Its stack.
    pub standing: BuiltStack,
    /// The load.
    pub work: DurabilityLoad,
    /// The member of the array that failed with the power, counted from 0.
    pub without_member: Option<usize>,
    /// Whether to assemble an array that md refuses.
    pub force: bool,
}

/// A message from the guest.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "say", rename_all = "snake_case")]
pub enum FromGuest {
    /// The agent runs.
    Ready {
        /// Its version.
        version: String,
    },
    /// The current request is still running.
    Tick,
    /// Writers of a load believe that more of their records are safe.
    Acknowledged {
        /// The latest of each that has news.
        all: Vec<Acknowledged>,
    },
    /// A program printed lines that count.
    Printed {
        /// The lines, in order.
        lines: Vec<Printed>,
    },
    /// A request succeeded.
    Done {
        /// The answer.
        answer: Answer,
    },
    /// A request failed.
    Failed {
        /// Why.
        error: RemoteError,
    },
}

/// A line of a program.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Printed {
    /// When the agent read it, by the monotonic clock of its kernel.
    pub clock_ns: u64,
    /// The line.
    pub line: Line,
}

/// What a load reports.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum News {
    /// A writer believes that more of its records are safe.
    Acknowledged(Acknowledged),
    /// A program printed a line that counts.
    Printed(Printed),
}

/// The answer to a request.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Answer {
    /// Success without data.
    Nothing,
    /// To [`ToGuest::Facts`].
    Facts {
        /// The facts.
        facts: Box<Facts>,
    },
    /// To [`ToGuest::Check`].
    Checked {
        /// The warnings.
        warnings: Vec<Warning>,
    },
    /// To [`ToGuest::Prepare`].
    Prepared {
        /// Whether the cell was ready already.
        already_there: bool,
    },
    /// To [`ToGuest::Measure`].
    Sample {
        /// The sample.
        sample: Box<Sample>,
    },
    /// To [`ToGuest::Build`].
    Built {
        /// The stopped stack.
        standing: BuiltStack,
    },
    /// To [`ToGuest::Look`], and to [`ToGuest::Load`] if the stack does not come up.
    Looked {
        /// What was found.
        look: Recovery,
    },
}

/// An error of the guest's world, as text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum RemoteError {
    /// [`WorldError::Interrupted`].
    Interrupted,
    /// [`WorldError::Unsupported`].
    Unsupported {
        /// The unsupported feature.
        what: String,
        /// What to do.
        hint: Option<String>,
    },
    /// [`WorldError::Failed`] and all other errors.
    Failed {
        /// The attempted operation.
        attempted: String,
        /// The chain of causes, the root cause last.
        causes: Vec<String>,
        /// What to do.
        hint: Option<String>,
    },
}

/// A line that is not a valid message.
#[derive(Debug, thiserror::Error)]
pub enum WireError {
    /// The line cannot be parsed.
    #[error("cannot parse a message: `{beginning}`")]
    Unreadable {
        /// Its beginning.
        beginning: String,
        /// Why.
        #[source]
        source: serde_json::Error,
    },
    /// The line is too long.
    #[error("a message is longer than {LINE_BYTES_MAX} bytes")]
    TooLong,
}

impl RemoteError {
    /// Converts an error for the wire.
    pub fn of(error: &WorldError) -> Self {
        match error {
            WorldError::Interrupted => RemoteError::Interrupted,
            WorldError::Unsupported { what, hint, .. } => RemoteError::Unsupported {
                what: what.clone(),
                hint: hint.clone(),
            },
            WorldError::Failed {
                attempted,
                hint,
                source,
            } => RemoteError::Failed {
                attempted: attempted.clone(),
                causes: source
                    .as_deref()
                    .map_or_else(Vec::new, |cause| causes(cause)),
                hint: hint.clone(),
            },
        }
    }

    /// Converts the error back on the host.
    pub fn into_world_error(self, world: WorldName) -> WorldError {
        match self {
            RemoteError::Interrupted => WorldError::Interrupted,
            RemoteError::Unsupported { what, hint } => {
                WorldError::Unsupported { world, what, hint }
            }
            RemoteError::Failed {
                attempted,
                causes,
                hint,
            } => WorldError::Failed {
                attempted,
                hint,
                source: Cause::chain(causes).map(|cause| Box::new(cause) as _),
            },
        }
    }
}

/// Returns an error and its causes, as texts.
pub(crate) fn causes(error: &(dyn Error + 'static)) -> Vec<String> {
    stripewise_units::causes::causes(error)
        .take(CAUSES_MAX)
        .collect()
}

/// A cause received as text.
#[derive(Debug)]
struct Cause {
    text: String,
    source: Option<Box<Cause>>,
}

impl Cause {
    fn chain(causes: Vec<String>) -> Option<Self> {
        let causes = causes.into_iter().take(CAUSES_MAX);
        causes.rev().fold(None, |source, text| {
            Some(Self {
                text,
                source: source.map(Box::new),
            })
        })
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.text)
    }
}

impl Error for Cause {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.source.as_ref().map(|cause| &**cause as _)
    }
}

/// Returns a message as a line with its line feed.
pub fn line(message: &impl Serialize) -> Result<Vec<u8>, serde_json::Error> {
    let mut line = serde_json::to_vec(message)?;
    line.push(b'\n');
    Ok(line)
}

/// Splits a byte stream into messages.
#[derive(Debug, Default)]
pub struct Lines {
    bytes: Vec<u8>,
    /// How many of them were searched and hold no line feed.
    searched: usize,
}

impl Lines {
    #[cfg(test)]
    pub(crate) fn pending_bytes(&self) -> usize {
        self.bytes.len()
    }

    /// Takes more bytes.
    pub fn push(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// Returns the next message if it is complete; skips empty lines.
    ///
    /// # Errors
    /// [`WireError`]: the line is malformed or too long.
    pub fn take<M: DeserializeOwned>(&mut self) -> Result<Option<M>, WireError> {
        loop {
            let end = self.bytes[self.searched..]
                .iter()
                .position(|byte| *byte == b'\n');
            let Some(end) = end else {
                self.searched = self.bytes.len();
                return match self.bytes.len() > LINE_BYTES_MAX {
                    true => Err(WireError::TooLong),
                    false => Ok(None),
                };
            };
            let end = self.searched + end;
            let line: Vec<u8> = self.bytes.drain(..=end).collect();
            self.searched = 0;
            if line.len() > LINE_BYTES_MAX {
                return Err(WireError::TooLong);
            }
            if line.iter().all(u8::is_ascii_whitespace) {
                continue;
            }
            return match message(&line) {
                Ok(message) => Ok(Some(message)),
                Err(source) => Err(WireError::Unreadable {
                    beginning: beginning(&line),
                    source,
                }),
            };
        }
    }
}

/// Parses a message; control characters in its texts become visible, so that any code may print
/// them.
fn message<M: DeserializeOwned>(line: &[u8]) -> Result<M, serde_json::Error> {
    let mut value: Value = LIMITS.parse(line)?;
    clean(&mut value);
    serde_json::from_value(value)
}

fn clean(value: &mut Value) {
    let is_unclean = |text: &str| text.contains(|c| is_hidden(c) || matches!(c, '\n' | '\t'));
    match value {
        Value::String(text) if is_unclean(text) => *text = on_one_line(text),
        Value::Array(values) => values.iter_mut().for_each(clean),
        Value::Object(values) => {
            if values.keys().any(|key| is_unclean(key)) {
                let old = std::mem::take(values);
                values.extend(old.into_iter().map(|(key, value)| (printable(&key), value)));
            }
            values.values_mut().for_each(clean);
        }
        _ => {}
    }
}

fn beginning(line: &[u8]) -> String {
    let few = &line[..line.len().min(4 * SHOWN_CHARS_MAX)];
    let text = printable(&String::from_utf8_lossy(few));
    text.trim().chars().take(SHOWN_CHARS_MAX).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn failed() -> FromGuest {
        FromGuest::Failed {
            error: RemoteError::Failed {
                attempted: "failed to measure".to_owned(),
                causes: vec!["fio\u{1b}[2J failed".to_owned(), "no space".to_owned()],
                hint: Some("free space".to_owned()),
            },
        }
    }

    fn clean_failure() -> FromGuest {
        FromGuest::Failed {
            error: RemoteError::Interrupted,
        }
    }

    #[test]
    fn the_format_of_messages_is_stable() {
        let messages = [
            line(&ToGuest::Facts).unwrap(),
            line(&ToGuest::Hello {
                disks: vec![Disk {
                    profile: "hdd".to_owned(),
                    name: DiskName::new(0),
                    has_many_queues: false,
                    command: "add name=swd0".to_owned(),
                }],
                held: Vec::new(),
                is_virtual_time: true,
            })
            .unwrap(),
            line(&FromGuest::Tick).unwrap(),
            line(&failed()).unwrap(),
        ];
        let text = String::from_utf8(messages.concat()).unwrap();
        expect_test::expect![[r#"
            {"ask":"facts"}
            {"ask":"hello","disks":[{"profile":"hdd","name":"swd0","has_many_queues":false,"command":"add name=swd0"}],"is_virtual_time":true}
            {"say":"tick"}
            {"say":"failed","error":{"kind":"failed","attempted":"failed to measure","causes":["fio\u001b[2J failed","no space"],"hint":"free space"}}
        "#]].assert_eq(&text);
    }

    #[test]
    fn an_error_keeps_its_causes_and_loses_control_characters() {
        let FromGuest::Failed { error } = failed() else {
            unreachable!("it is made above")
        };
        // As the host receives it.
        let mut lines = Lines::default();
        lines.push(&line(&FromGuest::Failed { error }).unwrap());
        let Ok(Some(FromGuest::Failed { error })) = lines.take() else {
            panic!("it is a message")
        };
        let error = error.into_world_error(WorldName::Lab);
        let chain = causes(&error);
        assert_eq!(chain, ["failed to measure", "fio␛[2J failed", "no space"]);
        assert_eq!(error.hint(), Some("free space"));
        assert_eq!(
            RemoteError::of(&error)
                .into_world_error(WorldName::Lab)
                .hint(),
            Some("free space")
        );
    }

    #[test]
    fn a_line_without_an_end_is_refused_at_the_limit() {
        let mut lines = Lines::default();
        lines.push(&vec![b' '; LINE_BYTES_MAX]);
        assert!(matches!(lines.take::<FromGuest>(), Ok(None)));
        lines.push(b"  ");
        assert!(matches!(lines.take::<FromGuest>(), Err(WireError::TooLong)));
    }

    fn taken(line: &[u8]) -> Result<Option<FromGuest>, WireError> {
        let mut lines = Lines::default();
        lines.push(line);
        lines.push(b"\n");
        lines.take()
    }

    #[test]
    fn a_message_with_a_list_over_its_limit_is_refused_by_name() {
        let bins = "[1,1],".repeat(3777);
        let histogram = format!(
            "{{\"say\":\"done\",\"answer\":{{\"kind\":\"sample\",\"sample\":{{\"read\":{{\"latency\":{{\"histogram\":[{bins}"
        );
        let causes = format!("{{\"causes\":[{}", "\"x\",".repeat(17));
        // A map of one field takes half a KiB of memory and seven bytes here: 16 MiB would take a
        // GiB.
        let list = format!("[{}1]", "{\"\":0},".repeat(63));
        let list = format!("[{}1]", format!("{list},").repeat(63));
        let maps = format!("[{}1]", format!("{list},").repeat(60));
        for (line, expected) in [
            (
                histogram,
                "`answer.sample.read.latency.histogram` has at least 3777 entries, the limit is 3776",
            ),
            (causes, "`causes` has at least 17 entries, the limit is 16"),
            (maps, "need more memory than the"),
        ] {
            let Err(WireError::Unreadable { source, .. }) = taken(line.as_bytes()) else {
                panic!("it is accepted");
            };
            assert!(source.to_string().contains(expected), "{source}");
        }
    }

    #[test]
    fn the_cells_of_the_largest_study_fit_into_one_message() {
        let text = "[stack.s]\ndevices = { ssd = 4 }\narray = { level = \"raid10\", size = \"1G\" }\n[workload]\npattern = \"read\"\nsize = \"1M\"\n";
        let study = stripewise_fixtures::study(text);
        let cells = vec![study.cells[0].clone(); stripewise_format::CELLS_MAX];
        let sent = ToGuest::Check { cells };
        let mut lines = Lines::default();
        lines.push(&line(&sent).unwrap());
        assert!(lines.take::<ToGuest>().unwrap() == Some(sent));
    }

    proptest! {
        #[test]
        fn any_bytes_are_a_message_or_an_error(bytes in proptest::collection::vec(any::<u8>(), 0..400), cut in 0_usize..400) {
            let mut lines = Lines::default();
            let cut = cut.min(bytes.len());
            for part in [&bytes[..cut], &bytes[cut..], b"\n"] {
                lines.push(part);
                // Each line is answered once, so this ends.
                while let Ok(Some(_)) | Err(WireError::Unreadable { .. }) = lines.take::<FromGuest>() {}
            }
            prop_assert!(lines.bytes.is_empty());
        }

        #[test]
        fn a_message_with_a_changed_byte_is_a_message_or_an_error(at in 0_usize..200, byte in any::<u8>()) {
            let mut bytes = line(&failed()).unwrap();
            let at = at % bytes.len();
            bytes[at] = byte;
            let mut lines = Lines::default();
            lines.push(&bytes);
            if let Ok(Some(FromGuest::Failed { error })) = lines.take::<FromGuest>() {
                let text = causes(&error.into_world_error(WorldName::Lab)).concat();
                prop_assert!(!text.contains(char::is_control));
            }
        }

        #[test]
        fn messages_survive_any_fragmentation(cuts in proptest::collection::vec(1_usize..40, 1..20)) {
            let sent = [FromGuest::Tick, clean_failure(), FromGuest::Ready { version: "1".to_owned() }];
            let bytes: Vec<u8> = sent.iter().flat_map(|message| line(message).unwrap()).collect();
            let mut lines = Lines::default();
            let mut received = Vec::new();
            let mut rest = bytes.as_slice();
            for cut in cuts.iter().cycle() {
                let (part, more) = rest.split_at((*cut).min(rest.len()));
                lines.push(part);
                while let Some(message) = lines.take::<FromGuest>().unwrap() {
                    received.push(message);
                }
                rest = more;
                if rest.is_empty() {
                    break;
                }
            }
            prop_assert_eq!(received, sent);
        }
    }
}
