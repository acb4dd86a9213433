//! A device is overwritten only after two confirmations: in the study and when asked.
//!
//! The failure: a user copied a study from a colleague, whose scratch disk had the same name as the
//! archive disk here. A script started it with `--force`, which was there because another tool
//! needed it.

use std::fs::File;
use std::io::{Read, Write};
use std::process::Command;

use super::set_up;
use crate::support::terminal::{TYPES, start_on_terminal};
use crate::support::{Bench, Done, with};
use expect_test::{Expect, expect};
use stripewise_fixtures::loops::{self, Loop, Mounted};

/// A study of one cell that takes half a second.
fn study(devices: &[Loop]) -> String {
    let names: Vec<String> = devices
        .iter()
        .map(|device| format!("{:?}", device.name()))
        .collect();
    format!(
        r#"
[may_destroy]
test-disk = [{}]
[stack.single]
devices = {{ test-disk = 1 }}
filesystem = "ext4"
[workload]
pattern = "randread"
block_size = "4K"
size = "1M"
direct = false
[repeat]
sample = "50ms"
at_least = 6
at_most = 6
"#,
        names.join(", ")
    )
}

/// Returns the name that confirms a loop device: its backing file.
fn file_of(device: &Loop) -> &str {
    device.file.to_str().unwrap()
}

fn command(bench: &Bench, devices: &[Loop]) -> Command {
    let study = bench.write("study.toml", &study(devices));
    let mut command = bench.command();
    command.arg("run").arg(study);
    command.arg("--store").arg(bench.store_path());
    command
}

/// Returns the transcript with the names of this machine's devices replaced.
fn transcript(done: &Done, devices: &[Loop]) -> String {
    let mut text = done.transcript();
    for (index, device) in devices.iter().enumerate() {
        let kernel = device.name().trim_start_matches("/dev/");
        text = text.replace(device.file.to_str().unwrap(), &format!("[FILE{index}]"));
        text = text.replace(device.name(), &format!("/dev/[LOOP{index}]"));
        text = text.replace(&format!("    {kernel},"), &format!("    [LOOP{index}],"));
    }
    text
}

/// Asserts that a run is refused in these words, before anything was written.
fn assert_refused(bench: &Bench, devices: &[Loop], arguments: &[&str], expected: &Expect) {
    let before: Vec<Vec<u8>> = devices
        .iter()
        .map(|device| device.read_at(0, 1 << 20))
        .collect();
    let done = bench.finish(with(command(bench, devices), arguments));
    expected.assert_eq(&transcript(&done, devices));
    assert_eq!(done.code, Some(2));
    assert!(!bench.store_path().exists(), "a store was made");
    for (device, before) in devices.iter().zip(before) {
        assert!(device.read_at(0, 1 << 20) == before, "a byte was changed");
    }
}

#[test]
fn without_a_confirmation_nothing_is_touched() {
    let Some((bench, devices)) = set_up::<1>("confirmation", 64, &[]) else {
        return;
    };
    assert_refused(
        &bench,
        &devices,
        &[],
        &expect![[r#"
            exit 2
            --- stderr
            Everything on these devices will be destroyed:
              /dev/[LOOP0]
                [LOOP0], file [FILE0], 67.1 MB (67108864 bytes)
                found on it: no signature, and no data in 250 places
            error: `[FILE0]` is not confirmed

            hint: if nothing on the devices above is needed any more, add `--yes-destroy [FILE0]`
        "#]],
    );
    assert_refused(
        &bench,
        &devices,
        &["--quiet", "--yes-destroy", "/dev/loop"],
        &expect![[r#"
            exit 2
            --- stderr
            error: `--yes-destroy /dev/loop` names none of the study's devices

            hint: the devices are: `[FILE0]`
        "#]],
    );
}

#[test]
fn each_of_four_devices_must_be_confirmed() {
    let Some((bench, devices)) = set_up::<4>("confirmation of four", 64, &[]) else {
        return;
    };
    let [a, b, _, d] = &devices;
    let [a, b, d] = [a, b, d].map(file_of);
    let three = ["--yes-destroy", a, "--yes-destroy", b, "--yes-destroy", d];
    assert_refused(
        &bench,
        &devices,
        &three,
        &expect![[r#"
            exit 2
            --- stderr
            Everything on these devices will be destroyed:
              /dev/[LOOP0]
                [LOOP0], file [FILE0], 67.1 MB (67108864 bytes)
                found on it: no signature, and no data in 250 places
              /dev/[LOOP1]
                [LOOP1], file [FILE1], 67.1 MB (67108864 bytes)
                found on it: no signature, and no data in 250 places
              /dev/[LOOP2]
                [LOOP2], file [FILE2], 67.1 MB (67108864 bytes)
                found on it: no signature, and no data in 250 places
              /dev/[LOOP3]
                [LOOP3], file [FILE3], 67.1 MB (67108864 bytes)
                found on it: no signature, and no data in 250 places
            error: `[FILE2]` is not confirmed

            hint: if nothing on the devices above is needed any more, add `--yes-destroy [FILE2]`
        "#]],
    );
}

#[test]
fn a_device_in_use_is_refused_even_if_it_is_confirmed() {
    let Some((bench, devices)) = set_up::<1>("a device in use", 64, &["mkfs.ext4"]) else {
        return;
    };
    loops::run("mkfs.ext4", &["-q", "-L", "thesis", devices[0].name()]);
    let confirmed = ["--yes-destroy", file_of(&devices[0])];
    assert_refused(
        &bench,
        &devices,
        &confirmed,
        &expect![[r#"
            exit 2
            --- stderr
            error: refused to use a device of the study: `/dev/[LOOP0]` is not empty: it carries `ext4` with the label `thesis`

            hint: inspect it (`wipefs`, `blkid -p`, `lsblk -f`): if the data is yours, name another device; if a run left it, `stripewise restore` removes it; only if you do not need it, empty the device yourself
        "#]],
    );
    let mounted = Mounted::new(devices[0].name());
    std::fs::write(mounted.path().join("thesis.tex"), "x").unwrap();
    let done = bench.finish(with(command(&bench, &devices), confirmed));
    assert_eq!(done.code, Some(2));
    assert!(done.stderr.contains("is mounted on"), "{}", done.stderr);
    assert!(
        done.stderr.contains("hint: if you no longer need its data"),
        "{}",
        done.stderr
    );
    assert_eq!(
        std::fs::read(mounted.path().join("thesis.tex")).unwrap(),
        b"x"
    );
}

#[test]
fn a_confirmed_device_is_measured_and_given_back_empty() {
    let Some((bench, devices)) = set_up::<1>("a confirmed device", 64, &["mkfs.ext4"]) else {
        return;
    };
    let arguments = ["--json", "--yes-destroy", file_of(&devices[0])];
    let document = bench.json(with(command(&bench, &devices), arguments));
    assert_eq!(document["cells"].as_array().unwrap().len(), 1);
    assert!(
        devices[0].read_at(2048, 512).iter().all(|byte| *byte == 0),
        "the marker is gone"
    );
    assert_eq!(bench.store().outstanding_changes().unwrap(), []);
    let again = bench.finish(with(command(&bench, &devices), arguments));
    assert_eq!(again.code, Some(0), "{}", again.transcript());
}

/// Runs a command on a terminal and types `answer` once it asks; returns the output and the exit
/// code.
fn typed(mut command: Command, answer: &str) -> (String, Option<i32>) {
    command.env("TERM", "dumb").env(TYPES, "1");
    let (mut child, mut terminal) = start_on_terminal(command, 200);
    let mut shown = Vec::new();
    let mut is_answered = false;
    let mut bytes = [0; 4096];
    // EIO once the last writer has closed the terminal; all output is read by then.
    while let Ok(count @ 1..) = terminal.read(&mut bytes) {
        shown.extend_from_slice(&bytes[..count]);
        let text = String::from_utf8_lossy(&shown);
        if !is_answered && text.contains("to destroy everything on it: ") {
            terminal
                .write_all(format!("{answer}\n").as_bytes())
                .unwrap();
            is_answered = true;
        }
    }
    let code = child.wait().unwrap().code();
    assert!(
        is_answered,
        "it did not ask: {}",
        String::from_utf8_lossy(&shown)
    );
    (String::from_utf8(shown).unwrap().replace('\r', ""), code)
}

#[test]
fn on_a_terminal_the_user_types_the_name() {
    let Some((bench, devices)) = set_up::<1>("a typed confirmation", 64, &["mkfs.ext4"]) else {
        return;
    };
    let name = file_of(&devices[0]);
    for wrong in ["", "y", "yes", devices[0].name()] {
        let (shown, code) = typed(command(&bench, &devices), wrong);
        assert_eq!(code, Some(2), "{wrong}: {shown}");
        let refused = format!("`{name}` is not confirmed: nothing was touched");
        assert!(shown.contains(&refused), "{wrong}: {shown}");
        assert!(!bench.store_path().exists(), "{wrong}: a store was made");
    }
    let (shown, code) = typed(with(command(&bench, &devices), ["--quiet"]), name);
    assert_eq!(code, Some(0), "{shown}");
    let question = format!("Type {name} to destroy everything on it: ");
    let list = shown.find(devices[0].file.to_str().unwrap()).unwrap();
    assert!(list < shown.find(&question).unwrap(), "{shown}");
}

#[test]
fn a_resumed_run_asks_again() {
    let Some((bench, devices)) = set_up::<1>("resume", 64, &["mkfs.ext4"]) else {
        return;
    };
    let confirmed = ["--yes-destroy", file_of(&devices[0])];
    let short = ["--budget", "1ms"];
    let begun = bench.finish(with(with(command(&bench, &devices), confirmed), short));
    assert_eq!(begun.code, Some(2), "{}", begun.transcript());
    let resume = || bench.stored("resume latest --budget 1m");
    let refused = bench.finish(resume());
    assert_eq!(refused.code, Some(2));
    assert!(
        refused.stderr.contains("is not confirmed"),
        "{}",
        refused.stderr
    );
    let resumed = bench.finish(with(resume(), confirmed));
    assert_eq!(resumed.code, Some(0), "{}", resumed.transcript());
}

#[test]
fn a_run_does_not_resume_with_another_device_in_the_same_place() {
    const WHAT: &str = "another device in the same place";
    let Some((bench, devices)) = set_up::<1>(WHAT, 64, &["mkfs.ext4"]) else {
        return;
    };
    let confirmed = ["--yes-destroy", file_of(&devices[0])];
    let mut begin = with(command(&bench, &devices), confirmed);
    begin.env("STRIPEWISE_TEST_KILL_AT", "5");
    let begun = bench.finish(begin);
    assert!(begun.signal.is_some(), "{}", begun.transcript());
    let other = devices[0].file.with_file_name("other");
    File::create(&other).unwrap().set_len(64 << 20).unwrap();
    let other = other.to_str().unwrap();
    let name = devices[0].name();
    loops::run("losetup", &["--detach", name]);
    loops::run("losetup", &[name, other]);
    let resume = bench.stored("resume latest --budget 1m");
    let refused = bench.finish(with(resume, ["--yes-destroy", other]));
    let is_untouched = devices[0].read_at(0, 1 << 20).iter().all(|byte| *byte == 0);
    loops::run("losetup", &["--detach", name]);
    assert!(is_untouched, "a byte was changed");
    assert_eq!(refused.code, Some(2), "{}", refused.transcript());
    let text = &refused.stderr;
    assert!(
        text.contains("when it was confirmed for this run"),
        "{text}"
    );
    assert!(
        text.contains(other) && text.contains(file_of(&devices[0])),
        "{text}"
    );
}

#[test]
fn the_name_of_a_place_confirms_nothing() {
    const WHAT: &str = "the name of a place";
    let Some((bench, devices)) = set_up::<1>(WHAT, 64, &[]) else {
        return;
    };
    let done = bench.finish(with(
        command(&bench, &devices),
        ["--yes-destroy", devices[0].name()],
    ));
    assert_eq!(done.code, Some(2), "{}", done.transcript());
    let text = &done.stderr;
    assert!(
        text.contains("names a place, and any device can be there"),
        "{text}"
    );
    assert!(text.contains(file_of(&devices[0])), "{text}");
}
