//! One load on several hosts, each a network namespace with a disk and an sshd of its own.
//!
//! The failure: eight clients loaded a new file server overnight. One of them lost its link at midnight.
//! The tool added up what seven had done, named no host, and left a server of its own listening on the
//! eighth, which wrote on until its disk was full. The sum was a seventh too small, and was believed.
//!
//! Here hosts are killed, cut off, full, of another fio, and their controller is killed. Each time the host
//! is named first, nothing of it is added up without a word, and no process, listener or file is left.
//!
//! Two hosts run in CI, eight in `make soak`.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::support::{repository, skip, until, wants_all};

/// A study of one cell.
const STUDY: &str = r#"
question = "What do all hosts give together?"
[stack.here]
filesystem = "existing"
[workload]
pattern = "randwrite"
block_size = "4K"
size = "4M"
direct = true
[repeat]
sample = "400ms"
at_least = 2
at_most = 2
"#;

/// Returns how many hosts the tests have.
fn count() -> usize {
    if wants_all() { 8 } else { 2 }
}

/// Hosts of a test, which end with it.
struct Lab {
    dir: PathBuf,
    count: usize,
    _temp: tempfile::TempDir,
}

impl Drop for Lab {
    fn drop(&mut self) {
        let _ended = script().arg("down").arg(&self.dir).status();
    }
}

fn script() -> Command {
    Command::new(repository().join("ci/hosts.sh"))
}

impl Lab {
    /// Makes hosts; `None` where that is not allowed, said loudly.
    fn up(count: usize, program: &str) -> Option<Self> {
        if !rustix::process::geteuid().is_root() || !Path::new("/usr/sbin/sshd").exists() {
            skip(
                "hosts in namespaces",
                "they need root, iproute2 and openssh-server",
            );
            return None;
        }
        let temp = tempfile::tempdir_in("/var/tmp").unwrap();
        let lab = Self {
            dir: temp.path().join("hosts"),
            count,
            _temp: temp,
        };
        let count = count.to_string();
        let made = script()
            .arg("up")
            .arg(&lab.dir)
            .args([&count, program])
            .output()
            .unwrap();
        match made.status.code() {
            Some(0) => Some(lab),
            Some(77) => {
                skip(
                    "hosts in namespaces",
                    &String::from_utf8_lossy(&made.stderr),
                );
                None
            }
            _ => panic!("{}", String::from_utf8_lossy(&made.stderr)),
        }
    }

    fn names(&self) -> Vec<String> {
        (1..=self.count).map(|index| format!("h{index}")).collect()
    }

    /// Returns the program, which finds the ssh that knows the hosts.
    fn command(&self, arguments: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_stripewise"));
        let path = std::env::var("PATH").unwrap();
        command
            .args(arguments.split_whitespace())
            .args(["--store".as_ref(), self.dir.join("store.db").as_os_str()])
            .env("PATH", format!("{}:{path}", self.dir.display()))
            .env("STRIPEWISE_LANG", "en");
        command
    }

    fn study(&self, text: &str) -> String {
        let path = self.dir.join("study.toml");
        std::fs::write(&path, text).unwrap();
        path.display().to_string()
    }

    /// Returns the command that runs the study on all hosts.
    fn run(&self, more: &str) -> Command {
        self.run_study(STUDY, more)
    }

    /// Returns the command of a run that lasts until it is disturbed.
    fn run_long(&self, more: &str) -> Command {
        self.run_study(&STUDY.replace(" = 2", " = 8"), more)
    }

    fn run_study(&self, study: &str, more: &str) -> Command {
        let study = self.study(study);
        let names = self.names().join(",");
        self.command(&format!(
            "run {study} --hosts {names} --target /mnt/test {more}"
        ))
    }

    fn on(&self, host: &str, command: &str) -> String {
        let output = script()
            .arg("in")
            .arg(&self.dir)
            .arg(host)
            .args(["sh", "-c", command])
            .output()
            .unwrap();
        String::from_utf8(output.stdout).unwrap()
    }

    /// Returns what of ours is on a host: files, processes, and listeners other than its sshd.
    fn left(&self, host: &str) -> String {
        let files = self.on(
            host,
            "ls -A /mnt/test; ls -A /root/.cache/stripewise/hosts 2>/dev/null",
        );
        let tag = self.on(host, "ip netns identify $$ 2>/dev/null");
        let processes = Command::new("ip")
            .args(["netns", "pids", tag.trim()])
            .output()
            .unwrap();
        let processes = String::from_utf8(processes.stdout).unwrap();
        let ours = processes.split_whitespace().filter(|pid| {
            let name = std::fs::read_to_string(format!("/proc/{pid}/comm")).unwrap_or_default();
            ["stripewise", "fio"].contains(&name.trim())
        });
        let ours: Vec<&str> = ours.collect();
        let listeners = self.on(host, "ss -ltnuH | grep -v ':22 '");
        format!("{files}{}{listeners}", ours.join(" "))
    }

    /// Waits until nothing is left on any of these hosts, and returns how long that took.
    fn until_clean(&self, hosts: &[String], limit: Duration) -> Duration {
        let began = Instant::now();
        for host in hosts {
            loop {
                let left = self.left(host);
                if left.trim().is_empty() {
                    break;
                }
                assert!(began.elapsed() < limit, "{host}: {left}");
                std::thread::sleep(Duration::from_millis(100));
            }
        }
        began.elapsed()
    }

    /// Waits until a run has its first sample: from then on its hosts have files, and loads.
    fn until_sampled(&self) {
        until("a sample", || {
            std::thread::sleep(Duration::from_millis(200));
            let shown = self.command("show latest --json").output().unwrap();
            let document: Value = serde_json::from_slice(&shown.stdout).ok()?;
            (!samples(&document).is_empty()).then_some(())
        });
    }
}

fn done(output: &Output) -> String {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    format!("{}{}", text(&output.stdout), text(&output.stderr))
}

fn spawn(mut command: Command) -> Child {
    command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Returns the samples of a run as JSON.
fn samples(document: &Value) -> Vec<&Value> {
    let cells = document["cells"].as_array().unwrap();
    cells
        .iter()
        .flat_map(|cell| cell["samples"].as_array().unwrap())
        .collect()
}

/// Returns the bytes and I/Os of a sample.
fn moved(sample: &Value) -> [u64; 2] {
    ["bytes", "ios"]
        .map(|key| sample["read"][key].as_u64().unwrap() + sample["write"][key].as_u64().unwrap())
}

#[test]
fn hosts_begin_together_and_their_figures_add_up() {
    let Some(lab) = Lab::up(count(), env!("CARGO_BIN_EXE_stripewise")) else {
        return;
    };
    let output = lab.run("--json").output().unwrap();
    assert!(output.status.success(), "{}", done(&output));
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    for sample in samples(&document) {
        let hosts = sample["hosts"].as_array().unwrap();
        assert_eq!(hosts.len(), lab.count);
        let mut sum = [0, 0];
        let mut bins = 0;
        for host in hosts {
            let part = &host["outcome"]["measured"];
            let [bytes, ios] = moved(&part["sample"]);
            assert!(bytes > 0, "{host}");
            sum = [sum[0] + bytes, sum[1] + ios];
            bins += part["sample"]["write"]["latency"]["count"]
                .as_u64()
                .unwrap();
            // How late is a matter of how busy this machine is; `merge` tests that a late one is named.
            assert!(part["late_ns"].is_u64(), "{part}");
        }
        assert_eq!(moved(sample), sum);
        assert_eq!(sample["write"]["latency"]["count"], bins);
    }
    lab.until_clean(&lab.names(), Duration::from_secs(5));
    let shown = lab.command("show latest").output().unwrap();
    let shown = done(&shown);
    for host in lab.names() {
        assert!(shown.contains(&host), "{shown}");
    }
    assert!(shown.contains("began each load together"), "{shown}");
    // Nothing is left to undo.
    let restored = lab.command("restore").output().unwrap();
    assert!(done(&restored).contains("nothing"), "{}", done(&restored));
}

#[test]
fn a_killed_controller_leaves_nothing_on_any_host() {
    let Some(lab) = Lab::up(count(), env!("CARGO_BIN_EXE_stripewise")) else {
        return;
    };
    let mut child = spawn(lab.run_long(""));
    lab.until_sampled();
    child.kill().unwrap();
    child.wait().unwrap();
    // The agents see the end of their input: they need not wait for silence.
    let took = lab.until_clean(&lab.names(), Duration::from_secs(10));
    println!("hosts restored themselves {took:?} after their controller was killed");
    // The journal here does not know that yet; `restore` asks the hosts.
    let restored = lab.command("restore").output().unwrap();
    let text = done(&restored);
    assert!(restored.status.success(), "{text}");
    for host in lab.names() {
        assert!(text.contains(&format!("host {host}")), "{text}");
    }
    lab.until_clean(&lab.names(), Duration::from_secs(5));
}

#[test]
fn a_killed_agent_is_restored_from_here() {
    let Some(lab) = Lab::up(2, env!("CARGO_BIN_EXE_stripewise")) else {
        return;
    };
    let child = spawn(lab.run_long("--lost-hosts continue"));
    lab.until_sampled();
    lab.on("h2", "pkill -9 -x stripewise --nslist net --ns $$");
    let output = child.wait_with_output().unwrap();
    let text = done(&output);
    // Before any figure.
    let lead = text.split("MiB/s").next().unwrap();
    assert!(lead.contains("One of 2 hosts was lost: h2"), "{text}");
    let document = lab.command("show latest --json").output().unwrap();
    let document: Value = serde_json::from_slice(&document.stdout).unwrap();
    let (mut lost, mut counted) = (0, 0);
    for sample in samples(&document) {
        let hosts = sample["hosts"].as_array().unwrap();
        let is_lost = hosts.iter().any(|host| !host["outcome"]["lost"].is_null());
        lost += usize::from(is_lost);
        // What counts is of the host that was left alone.
        if sample["counted"] == true {
            counted += 1;
            assert_eq!((hosts.len(), is_lost), (1, false), "{sample}");
        }
    }
    assert!(lost == 1 && counted > 0, "{text}");
    // The end of the run connected anew and undid what the killed agent left.
    lab.until_clean(&lab.names(), Duration::from_secs(5));
}

#[test]
fn a_host_that_cannot_take_part_is_refused_by_name_before_anything_is_written() {
    let Some(lab) = Lab::up(2, env!("CARGO_BIN_EXE_stripewise")) else {
        return;
    };
    let refused = |what: &str, expected: &[&str]| {
        let output = lab.run("").output().unwrap();
        let text = done(&output);
        assert_eq!(output.status.code(), Some(2), "{what}: {text}");
        for expected in expected {
            assert!(text.contains(expected), "{what}: {text}");
        }
        lab.until_clean(&lab.names(), Duration::from_secs(5));
    };
    // Another fio.
    let fio = lab.dir.join("h2/bin/fio");
    std::fs::write(&fio, "#!/bin/sh\ntest \"$1\" = --version && { echo fio-3.41; exit; }\nexec /usr/bin/fio \"$@\"\n").unwrap();
    let executable = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(&fio, executable).unwrap();
    refused("fio", &["1 of 2 hosts", "`h2`", "fio-3.41"]);
    std::fs::remove_file(&fio).unwrap();
    // A full disk.
    lab.on(
        "h1",
        "fallocate -l 100M /mnt/fill 2>/dev/null; head -c 100M /dev/zero >/mnt/fill",
    );
    refused("full", &["1 of 2 hosts", "`h1`", "space"]);
    lab.on("h1", "rm /mnt/fill");
    // No target.
    lab.on("h2", "rmdir /mnt/test");
    refused("target", &["`h2`", "/mnt/test"]);
    lab.on("h2", "mkdir /mnt/test");
    // An unknown host key is never accepted.
    let known = lab.dir.join("known_hosts");
    let keys = std::fs::read_to_string(&known).unwrap();
    std::fs::write(&known, keys.lines().next().unwrap()).unwrap();
    refused(
        "key",
        &["`h2`", "Host key verification failed", "never accepts"],
    );
    assert_eq!(std::fs::read_to_string(&known).unwrap().lines().count(), 1);
}
