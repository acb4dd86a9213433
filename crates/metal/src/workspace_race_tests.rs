//! The failure: root measured in another user's directory, and that user won a race. Between two
//! starts of fio they renamed the workspace, and put a directory of the same name in its place,
//! with a link to a file of root's. fio wrote through the link.
//!
//! Two more processes of this test program reproduce it. The victim starts a program that writes to
//! the test file, `STRIPEWISE_TEST_RACE_STARTS` times (200). The attacker is another user and swaps
//! everything that user may, without a pause.

use std::fs;
use std::io::Write;
use std::os::unix::fs::{PermissionsExt, chown, symlink};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use super::{FILE, PREFIX, Workspace, file, write_in};
use stripewise_fixtures::Remembered;

const ROOT: u32 = 0;
const USER: u32 = 65533;
const ATTACKER: u32 = 65534;

/// How often to use a workspace before creating another.
const STARTS_A_WORKSPACE: u32 = 5;
/// How long an attack on a program started by path may take to succeed.
const DEADLINE: Duration = Duration::from_secs(60);

/// The variables that select the role of a process.
const ATTACK: &str = "STRIPEWISE_TEST_RACE_ATTACK";
const TARGET: &str = "STRIPEWISE_TEST_RACE_TARGET";
const SECRET: &str = "STRIPEWISE_TEST_RACE_SECRET";
const BY_PATH: &str = "STRIPEWISE_TEST_RACE_BY_PATH";
const STARTS: &str = "STRIPEWISE_TEST_RACE_STARTS";

/// The directory in which the victim measures, and its owners.
struct Scene {
    _folder: tempfile::TempDir,
    /// The directory that the attacker changes.
    attacked: PathBuf,
    target: PathBuf,
    secret: PathBuf,
    victim: u32,
}

fn make_directory(path: &Path, owner: u32, mode: u32) {
    fs::create_dir(path).unwrap();
    chown(path, Some(owner), Some(owner)).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

impl Scene {
    /// `parent` and `target` are owner and mode of two directories, one inside the other.
    fn new(victim: u32, parent: (u32, u32), target: (u32, u32)) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let base = folder.path();
        fs::set_permissions(base, fs::Permissions::from_mode(0o755)).unwrap();
        let (vault, attacked) = (base.join("vault"), base.join("parent"));
        make_directory(&vault, victim, 0o700);
        let secret = vault.join("secret");
        fs::write(&secret, "secret").unwrap();
        fs::set_permissions(&secret, fs::Permissions::from_mode(0o600)).unwrap();
        chown(&secret, Some(victim), Some(victim)).unwrap();
        make_directory(&attacked, parent.0, parent.1);
        let inner = attacked.join("target");
        make_directory(&inner, target.0, target.1);
        Self {
            _folder: folder,
            attacked,
            target: inner,
            secret,
            victim,
        }
    }

    fn is_secret_safe(&self) -> bool {
        fs::read_to_string(&self.secret).unwrap() == "secret"
    }

    /// Starts another process of this program that runs the test `role` as `user`.
    fn start(&self, role: &str, user: u32, more: &[(&str, &str)]) -> Child {
        let mut command = Command::new("/proc/self/exe");
        command
            .args(["--exact", "--nocapture", "--test-threads=1"])
            .arg(format!("workspace::tests::race::{role}"))
            .env(TARGET, &self.target)
            .env(SECRET, &self.secret)
            .envs(more.iter().copied())
            .current_dir("/")
            .uid(user)
            .gid(user)
            .stdin(Stdio::null())
            .stdout(Stdio::piped());
        command.spawn().unwrap()
    }

    /// Races victim and attacker; returns the victim's counts.
    fn race(&self, more: &[(&str, &str)]) -> Counts {
        let attacked = self.attacked.to_str().unwrap();
        let mut attacker = self.start("attacker", ATTACKER, &[(ATTACK, attacked)]);
        let victim = self.start("victim", self.victim, more);
        let output = victim.wait_with_output().unwrap();
        attacker.kill().unwrap();
        attacker.wait().unwrap();
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success(), "{text}");
        // The name of the test precedes it on the line.
        let line = text.lines().find_map(|line| line.split_once("RACE "));
        let (_, line) = line.unwrap_or_else(|| panic!("no counts: {text}"));
        Counts::parse(line)
    }
}

/// The victim's counts.
#[derive(Debug, Default, PartialEq, Eq)]
struct Counts {
    /// Starts of a program.
    starts: u32,
    /// Swaps noticed before a start.
    noticed: u32,
    /// Workspaces that could not be created.
    refused: u32,
    /// Overwrites of the secret.
    lost: u32,
}

impl Counts {
    fn parse(line: &str) -> Self {
        let numbers: Vec<u32> = line.split(' ').map(|word| word.parse().unwrap()).collect();
        let &[starts, noticed, refused, lost] = numbers.as_slice() else {
            panic!("{line}");
        };
        Self {
            starts,
            noticed,
            refused,
            lost,
        }
    }

    fn line(&self) -> String {
        let Self {
            starts,
            noticed,
            refused,
            lost,
        } = self;
        format!("RACE {starts} {noticed} {refused} {lost}\n")
    }

    fn attempts(&self) -> u32 {
        self.starts + self.noticed + self.refused
    }
}

fn say(text: &str) {
    std::io::stdout().write_all(text.as_bytes()).unwrap();
}

fn of_environment(variable: &str) -> Option<PathBuf> {
    std::env::var_os(variable).map(PathBuf::from)
}

/// Measures in a target as the world does, and prints the counts. Does nothing without the
/// variables.
#[test]
fn victim() {
    let (Some(target), Some(secret), None) = (
        of_environment(TARGET),
        of_environment(SECRET),
        of_environment(ATTACK),
    ) else {
        return;
    };
    let by_path = std::env::var_os(BY_PATH).is_some();
    let wanted: u32 = std::env::var(STARTS).map_or(200, |text| text.parse().unwrap());
    let mut counts = Counts::default();
    let began = Instant::now();
    let is_over = |counts: &Counts| match by_path {
        true => counts.lost > 0 || began.elapsed() > DEADLINE,
        false => counts.attempts() >= wanted,
    };
    while !is_over(&counts) {
        let mut journal = Remembered::default();
        let made = Workspace::create(&target, &mut journal)
            .and_then(|mut made| made.make(&[file(4096)], &mut journal).map(|()| made));
        let Ok(workspace) = made else {
            counts.refused += 1;
            continue;
        };
        for _ in 0..STARTS_A_WORKSPACE {
            if !by_path && workspace.verify().is_err() {
                counts.noticed += 1;
                break;
            }
            counts.starts += 1;
            match by_path {
                // Nothing starts while the attacker has moved the directory.
                true => drop(write_in(workspace.path())),
                false => write_in(&workspace.held_path()).unwrap(),
            }
            counts.lost += u32::from(fs::read_to_string(&secret).unwrap() != "secret");
        }
        // Fails if the attacker has moved the directory.
        let _ = workspace.remove(&mut journal);
    }
    say(&counts.line());
}

/// Swaps directories for links to the secret until it is killed. Does nothing without the
/// variables.
#[test]
fn attacker() {
    let (Some(attacked), Some(target), Some(secret)) = (
        of_environment(ATTACK),
        of_environment(TARGET),
        of_environment(SECRET),
    ) else {
        return;
    };
    for turn in 0_u64.. {
        // Moves the target itself, and puts its own directory in its place.
        let away = attacked.join(format!("away-{turn}"));
        if fs::rename(&target, &away).is_ok() {
            let _ = fs::create_dir(&target);
            let _ = fs::set_permissions(&target, fs::Permissions::from_mode(0o777));
            plant(&away, &target, &secret);
            let aside = attacked.join(format!("aside-{turn}"));
            let _ = fs::rename(&target, &aside);
            let _ = fs::rename(&away, &target);
            let _ = fs::remove_dir_all(&aside);
        }
        // Moves the workspaces in it.
        for name in workspaces(&target) {
            let (path, moved) = (target.join(&name), target.join(format!("moved-{turn}")));
            if fs::rename(&path, &moved).is_ok() {
                plant_one(&path, &secret);
                let _ = fs::remove_dir_all(&moved);
            }
        }
    }
}

/// Creates a directory in `to` for each workspace of `from`, with a link in it.
fn plant(from: &Path, to: &Path, secret: &Path) {
    for name in workspaces(from) {
        plant_one(&to.join(name), secret);
    }
}

fn plant_one(path: &Path, secret: &Path) {
    let _ = fs::create_dir(path);
    let _ = fs::set_permissions(path, fs::Permissions::from_mode(0o777));
    let _ = symlink(secret, path.join(FILE));
}

fn workspaces(directory: &Path) -> Vec<std::ffi::OsString> {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    let names = entries.map(|entry| entry.file_name());
    names
        .filter(|name| name.to_string_lossy().starts_with(PREFIX))
        // Those with a link are the attacker's own.
        .filter(|name| !directory.join(name).join(FILE).is_symlink())
        .collect()
}

/// Returns whether this is root; prints the skipped test if not.
fn is_root() -> bool {
    let is_root = rustix::process::geteuid().is_root();
    if !is_root {
        say("SKIPPED: races between users: only root can start processes of other users\n");
    }
    is_root
}

#[test]
fn no_race_makes_a_program_write_outside_its_workspace() {
    if !is_root() {
        return;
    }
    let scenes = [
        (
            "owned by the caller",
            Scene::new(ROOT, (ROOT, 0o755), (ROOT, 0o755)),
        ),
        (
            "owned by the caller and sticky",
            Scene::new(ROOT, (ROOT, 0o1777), (ROOT, 0o1777)),
        ),
        (
            "owned by another user",
            Scene::new(USER, (ROOT, 0o755), (ATTACKER, 0o777)),
        ),
        (
            "of a user below a renamed parent",
            Scene::new(USER, (ATTACKER, 0o755), (USER, 0o755)),
        ),
        (
            "owned by another user, used by root",
            Scene::new(ROOT, (ROOT, 0o755), (ATTACKER, 0o777)),
        ),
        (
            "of root below a renamed parent",
            Scene::new(ROOT, (ATTACKER, 0o755), (ROOT, 0o755)),
        ),
    ];
    for (index, (whose, scene)) in scenes.iter().enumerate() {
        let counts = scene.race(&[]);
        say(&format!("a directory {whose}: {counts:?}\n"));
        assert_eq!(counts.lost, 0, "{whose}: {counts:?}");
        assert!(scene.is_secret_safe(), "{whose}");
        match index {
            // Nothing can be renamed, and nothing is refused.
            0 | 1 => assert_eq!((counts.noticed, counts.refused), (0, 0), "{whose}"),
            2 | 3 => assert!(
                counts.noticed > 0,
                "{whose}: the attacker did nothing: {counts:?}"
            ),
            // Root refuses to start.
            _ => assert_eq!(counts.starts, 0, "{whose}: {counts:?}"),
        }
    }
}

#[test]
fn a_program_started_by_path_loses_the_race() {
    if !is_root() {
        return;
    }
    let scene = Scene::new(USER, (ROOT, 0o755), (ATTACKER, 0o777));
    let counts = scene.race(&[(BY_PATH, "1")]);
    assert!(counts.lost > 0 && !scene.is_secret_safe(), "{counts:?}");
}
