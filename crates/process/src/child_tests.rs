use rustix::process::test_kill_process_group;
use stripewise_study::world::NeverCancel;

use super::*;
use crate::Program;

/// Longer than any step here takes on a busy machine, and shorter than the processes that must not
/// survive.
const SOON: Duration = Duration::from_secs(20);

/// A watch that calls a function.
struct While<F>(F);

impl<F: FnMut() -> bool> Watch for While<F> {
    fn keep_going(&mut self, _elapsed: Duration) -> bool {
        (self.0)()
    }
}

fn call(name: &'static str, arguments: &[&str]) -> Call {
    Program::new(name, "").call(arguments).limit(SOON)
}

fn sleeping() -> Child {
    call("sleep", &["60"]).start().unwrap()
}

#[test]
fn the_exit_of_a_child_is_noticed_at_once() {
    let mut child = call("sleep", &["0.3"]).start().unwrap();
    let ended = child.wait(&mut NeverCancel).unwrap();
    assert!(matches!(ended, Ended::Exited(status) if status.success()));
    assert!(child.started.elapsed() < Duration::from_secs(5));
}

#[test]
fn a_server_is_awaited_briefly_and_ends_when_asked() {
    let ask: [fn(&Child); 2] = [Child::terminate, Child::interrupt];
    for ask in ask {
        let mut child = sleeping();
        let status = child.wait_at_most(Duration::from_millis(20)).unwrap();
        assert_eq!(status, None);
        ask(&child);
        let status = child.wait_at_most(SOON).unwrap();
        assert!(status.is_some_and(|status| !status.success()));
    }
}

#[test]
fn a_child_is_awaited_without_pidfd() {
    let mut child = call("true", &[]).start().unwrap();
    child.pidfd = None;
    let ended = child.wait(&mut NeverCancel).unwrap();
    assert!(matches!(ended, Ended::Exited(status) if status.success()));
}

#[test]
fn the_watch_is_checked_until_it_stops() {
    let mut asked = 0;
    let mut watch = While(|| {
        asked += 1;
        asked < 4
    });
    let ended = sleeping().wait(&mut watch).unwrap();
    assert!(matches!(ended, Ended::Stopped));
    assert_eq!(asked, 4);
}

#[test]
fn a_child_that_hangs_is_stopped() {
    let call = call("sleep", &["60"]).limit(Duration::from_millis(100));
    let mut child = call.start().unwrap();
    let ended = child.wait(&mut NeverCancel).unwrap();
    assert!(matches!(ended, Ended::TimedOut));
    assert!(test_kill_process_group(child.group).is_err());
}

#[test]
fn a_child_that_ignores_sigterm_is_killed() {
    let folder = tempfile::tempdir().unwrap();
    let deaf = folder.path().join("deaf");
    let script = "trap '' TERM; : > \"$0\"; while :; do sleep 1; done";
    let mut child = call("sh", &["-c", script]).arg(&deaf).start().unwrap();
    let group = child.group;
    let started = Instant::now();
    let ended = child.wait(&mut While(|| !deaf.exists())).unwrap();
    assert!(matches!(ended, Ended::Stopped));
    assert!(started.elapsed() >= GRACE);
    // We reap the shell; its child is reaped a moment later by the process that adopts it.
    while test_kill_process_group(group).is_ok() {
        assert!(started.elapsed() < SOON, "the group survived");
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn a_panic_leaves_no_child() {
    let mut child = sleeping();
    let group = child.group;
    let panic = std::panic::catch_unwind(std::panic::AssertUnwindSafe(move || {
        let _ = child.wait(&mut While(|| panic!("planted")));
    }));
    assert!(panic.is_err());
    assert!(test_kill_process_group(group).is_err());
}

#[test]
fn a_daemon_is_killed_with_a_contained_call_only() {
    let script = "setsid sh -c 'echo $$ > \"$0\"; exec sleep 600' \"$0\" & \
                  while [ ! -s \"$0\" ]; do sleep 0.01; done";
    for is_contained in [true, false] {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("pid");
        let call = call("sh", &["-c", script]).arg(&file);
        let call = Call {
            is_contained,
            ..call
        };
        call.run(&mut NeverCancel).unwrap();
        let text = std::fs::read_to_string(&file).unwrap();
        let daemon = Path::new("/proc").join(text.trim());
        assert_eq!(daemon.exists(), !is_contained);
        let daemon = Pid::from_raw(text.trim().parse().unwrap()).unwrap();
        let killed = rustix::process::kill_process(daemon, Signal::KILL);
        assert_eq!(killed.is_ok(), !is_contained);
    }
}
