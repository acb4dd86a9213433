//! Text that attacks a terminal, and a checker that finds attacks in output.
//!
//! This file has its own hand-written list of attacks, independent of the program's list.

use std::path::PathBuf;

use stripewise_results::world::RunOrigin;
use stripewise_results::{Run, RunState, Store, WarningRecord};
use stripewise_study::facts::{DeviceFacts, TargetFacts};
use stripewise_study::import_note::ImportNote;
use stripewise_study::warning::Warning;
use stripewise_study::world::{
    Change, CreatedFile, Inode, Journal, MountedFilesystem, ParentDirectory, ResetSetting,
};
use stripewise_units::Bytes;

/// Sequences that control a terminal, or hide or reorder text. [`BAIT`] follows each.
const ATTACKS: [&str; 23] = [
    "\u{1b}]0;title\u{7}",
    "\u{1b}]8;;u\u{1b}\\",
    "\u{1b}[2J",
    "\u{1b}[35;7m",
    "\u{1b}[31m",
    "\u{1b}P1q",
    "\u{1b}c",
    "\u{9b}31m",
    "\u{9d}0;title\u{9c}",
    "\u{202e}",
    "\u{2066}",
    "\u{61c}",
    "\r",
    "\u{8}",
    "\u{7f}",
    "\u{85}",
    "\u{2028}",
    "\u{200b}",
    "\u{200d}",
    "\u{feff}",
    "\u{ad}",
    "\u{e0041}",
    "\u{fdd0}1\u{fdd1}",
];

/// The text after each attack.
const BAIT: &str = "bait";

/// The styles that the program and its libraries use for their own text.
const OWN_STYLES: [&str; 10] = ["0", "1", "2", "4", "31", "32", "33", "91", "94", "96"];

/// Returns a text with every attack in it. It can be the name of a file.
pub(crate) fn evil() -> String {
    let attacks = ATTACKS.map(|attack| format!("{attack}{BAIT}"));
    format!("evil{}", attacks.concat())
}

/// Returns whether text holds an unescaped part of [`evil`].
pub(crate) fn is_attacked(text: &str) -> bool {
    let is_in = |attack: &&str| text.contains(&format!("{attack}{BAIT}"));
    ATTACKS.iter().any(is_in)
}

/// Returns the content of a TOML string with the value [`evil`], escaped where TOML requires it.
pub(crate) fn evil_in_toml() -> String {
    let escaped = |c: char| match c {
        '\\' => "\\\\".to_owned(),
        c if c.is_control() => format!("\\u{:04X}", u32::from(c)),
        c => c.to_string(),
    };
    evil().chars().map(escaped).collect()
}

/// Returns the JSON string with the value [`evil`].
pub(crate) fn evil_in_json() -> String {
    serde_json::to_string(&evil()).unwrap()
}

/// Where output went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    /// A pipe.
    Pipe,
    /// A pipe, with colours asked for.
    ColouredPipe,
    /// A terminal.
    Terminal,
}

/// Returns whether a character is forbidden in all output.
fn is_attack(c: char) -> bool {
    let code = u32::from(c);
    (c.is_control() && !matches!(c, '\n' | '\t'))
        || matches!(code, 0x61c | 0x200b..=0x200f | 0x2028..=0x202e | 0x2060..=0x206f)
        || matches!(code, 0xad | 0x34f | 0x180b..=0x180f | 0x115f..=0x1160 | 0x17b4..=0x17b5)
        || matches!(code, 0x3164 | 0xffa0 | 0xfe00..=0xfe0f | 0xfeff | 0xfff0..=0xfffb)
        || matches!(code, 0xfdd0..=0xfdef | 0xe0000..=0xe0fff)
}

/// Returns the styles at the beginning of `text` that are the program's own, as a number of bytes.
fn own_style(text: &str) -> Option<usize> {
    let rest = text.strip_prefix("\u{1b}[")?;
    let end = rest.find('m')?;
    let length = "\u{1b}[m".len() + end;
    let code = &rest[..end];
    // One attack uses one of our styles; the text after it identifies it.
    let is_attack = code == "31" && text[length..].starts_with(BAIT);
    (OWN_STYLES.contains(&code) && !is_attack).then_some(length)
}

/// Returns the length of a progress bar's redraw sequence at the start of `text`: return to the
/// start of the line, clear the line, move up.
fn progress(text: &str) -> Option<usize> {
    let move_up = text.strip_prefix("\u{1b}[").and_then(|rest| {
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        (digits > 0 && rest[digits..].starts_with(['A', 'B'])).then_some(digits + 3)
    });
    let clears = ["\r\u{1b}[2K", "\r\u{1b}[K", "\u{1b}[2K", "\r\n"];
    let clear = clears.iter().find(|clear| text.starts_with(**clear));
    move_up.or(clear.map(|clear| clear.len()))
}

/// Returns the sequences in output that control a terminal and are not the program's own.
pub(crate) fn attacks_in(bytes: &[u8], place: Place) -> Vec<String> {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return vec!["bytes that are not text".to_owned()];
    };
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let own = match place {
            Place::Pipe => None,
            Place::ColouredPipe => own_style(rest),
            Place::Terminal => own_style(rest).or_else(|| progress(rest)),
        };
        if own.is_none() && is_attack(c) {
            let near: String = rest.chars().take(12).collect();
            found.push(format!("{near:?}"));
        }
        rest = &rest[own.unwrap_or(c.len_utf8())..];
    }
    found
}

/// Returns a run in which every text is hostile.
pub(crate) fn hostile_run(run: &Run) -> Run {
    let mut run = run.clone();
    run.summary.study_name = evil();
    run.summary.question = Some(evil());
    run.summary.tool_version = evil();
    run.warnings = [None, Some(0)]
        .map(|cell| WarningRecord {
            cell,
            warning: Warning::Imported {
                note: ImportNote::BadBin { job: evil() },
            },
        })
        .into();
    for (number, cell) in run.cells.iter_mut().enumerate() {
        cell.stack.name = format!("{}{number}", evil());
        cell.workload.name = Some(evil());
        cell.conditions.governor = Some(evil());
        cell.conditions.sysctl = [(evil(), evil())].into();
    }
    for record in &mut run.facts {
        let facts = &mut record.facts;
        facts.kernel = Some(evil());
        facts.os = Some(evil());
        facts.cpu.model = Some(evil());
        facts.tools.insert(evil(), evil());
        facts.target = Some(TargetFacts {
            path: evil(),
            filesystem: Some(evil()),
            source: Some(evil()),
            disks: vec![evil()],
            ..TargetFacts::default()
        });
        facts.devices.push(DeviceFacts {
            name: evil(),
            model: Some(evil()),
            ..DeviceFacts::default()
        });
    }
    run
}

/// Adds runs with hostile text for each command to a store that holds only a good one.
pub(crate) fn add_hostile_runs(store: &mut Store, good: &Run) -> HostileRuns {
    let import = |store: &mut Store, run: &Run| store.import_run(run).unwrap().0;
    let mut twin = hostile_run(good);
    twin.summary.name = Some(evil());
    twin.summary.tags = vec![evil(), "tag".to_owned()];
    twin.facts[0].facts.kernel = Some(format!("{} of another kernel", evil()));
    let mut mistaken = hostile_run(good);
    mistaken.summary.state = RunState::Interrupted;
    mistaken.study_text = format!("[stack.{}]\n{} = 1\n", evil(), evil());
    let mut elsewhere = mistaken.clone();
    elsewhere.summary.origin = RunOrigin::Other(evil());
    elsewhere.world = None;
    let mut moved = good.clone();
    moved.summary.state = RunState::Interrupted;
    moved.facts = twin.facts.clone();
    let mut unfit = good.clone();
    unfit.options = serde_json::json!({ "budget_ns": evil() });
    unfit.summary.state = RunState::Interrupted;
    HostileRuns {
        first: import(store, &hostile_run(good)),
        twin: import(store, &twin),
        mistaken: import(store, &mistaken),
        elsewhere: import(store, &elsewhere),
        moved: import(store, &moved),
        unfit: import(store, &unfit),
    }
}

/// The numbers of the hostile runs.
pub(crate) struct HostileRuns {
    /// Every text in it is hostile.
    pub(crate) first: i64,
    /// As the first, on another machine.
    pub(crate) twin: i64,
    /// Interrupted, its study full of mistakes.
    pub(crate) mistaken: i64,
    /// Interrupted, of a world with a hostile name.
    pub(crate) elsewhere: i64,
    /// Interrupted, its facts hostile, all else good.
    pub(crate) moved: i64,
    /// Interrupted, its options hostile.
    pub(crate) unfit: i64,
}

/// Announces changes with hostile names for a run that then dies.
pub(crate) fn announce_hostile_changes(store: &mut Store, run: i64) {
    let run = stripewise_results::RunId(run);
    let path = || PathBuf::from(format!("/nowhere/{}", evil()));
    let inode = Inode {
        number: 1,
        born_unix_ns: None,
    };
    store.claim_run(run).unwrap();
    let changes = [
        Change::directory(path()),
        Change::CreatedDirectory {
            path: format!("/nowhere/{}/.stripewise-1", evil()).into(),
            parent: ParentDirectory {
                inode,
                filesystem: Some(MountedFilesystem {
                    kind: evil(),
                    source: evil(),
                    uuid: Some(evil()),
                    device: (4095, 4095),
                    mount_point: path(),
                    directory: path(),
                }),
            },
            inode: Some(inode),
            files: Vec::new(),
        },
        Change::CreatedDirectory {
            path: "/nowhere/.stripewise-1".into(),
            parent: ParentDirectory {
                inode,
                filesystem: None,
            },
            inode: None,
            files: vec![CreatedFile {
                name: format!("../{}", evil()),
                inode: None,
            }],
        },
        Change::ClaimedDevice {
            path: path(),
            size_bytes: Bytes::new(1 << 30),
            serial: Some(evil()),
            token: evil(),
        },
        Change::WroteSetting {
            path: path(),
            before: evil(),
            after: evil(),
            disk: Some(evil()),
            resets: vec![ResetSetting {
                path: path(),
                before: evil(),
                after: None,
            }],
        },
        Change::BuiltArray {
            device: path(),
            uuid: evil(),
            members: vec![path()],
        },
        Change::MadeVolumeGroup {
            name: evil(),
            physical: Vec::new(),
        },
        Change::MadeFilesystem {
            identity: evil(),
            devices: vec![path()],
        },
        Change::Mounted {
            directory: path(),
            devices: vec![path()],
        },
    ];
    for change in &changes {
        store.journal(run).announce(change).unwrap();
    }
}
