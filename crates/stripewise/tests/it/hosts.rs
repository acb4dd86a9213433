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

    /// Returns the program, which finds the ssh that knows the hosts, with a store.
    fn command(&self, arguments: &str) -> Command {
        let mut command = self.without_store(arguments);
        command.args(["--store".as_ref(), self.dir.join("store.db").as_os_str()]);
        command
    }

    /// Returns the same for a command that has no store.
    fn without_store(&self, arguments: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_stripewise"));
        let path = std::env::var("PATH").unwrap();
        command
            .args(arguments.split_whitespace())
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

    /// Does something to a host: an action of `ci/hosts.sh`.
    fn act(&self, action: &str, host: &str, more: &[&str]) -> String {
        let mut command = script();
        let done = command.arg(action).arg(&self.dir).arg(host).args(more);
        let done = done.output().unwrap();
        assert!(done.status.success(), "{action} {host}: {done:?}");
        String::from_utf8(done.stdout).unwrap()
    }

    /// Returns what of ours is on a host: files, processes, and listeners other than its sshd.
    fn left(&self, host: &str) -> String {
        self.act("left", host, &[])
    }

    /// Writes a program of a host, which is found before that of the system.
    fn program(&self, host: &str, name: &str, text: &str) {
        let path = self.dir.join(host).join("bin").join(name);
        std::fs::write(&path, text).unwrap();
        let executable = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        std::fs::set_permissions(&path, executable).unwrap();
    }

    /// Runs a command that must be refused, and returns what it says.
    fn refused(&self, arguments: &str) -> String {
        let output = self.command(arguments).output().unwrap();
        let text = done(&output);
        assert_eq!(output.status.code(), Some(2), "{arguments}: {text}");
        text
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
    // The page shows them beside one another, too.
    let page = lab.dir.join("page.html");
    let report = format!("report latest --output {}", page.display());
    let output = lab.command(&report).output().unwrap();
    assert!(output.status.success(), "{}", done(&output));
    let page = std::fs::read_to_string(&page).unwrap();
    let view = page.split(r#""id":"hosts","title""#).nth(1).unwrap();
    for host in lab.names() {
        assert!(view.contains(&format!(r#""name":"{host}""#)), "{host}");
    }
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
    assert!(
        lead.contains("One of 2 hosts was lost: h2 (our program there was killed (signal 9)"),
        "{text}"
    );
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
    let old = "#!/bin/sh\ntest \"$1\" = --version && { echo fio-3.41; exit; }\nexec /usr/bin/fio \"$@\"\n";
    lab.program("h2", "fio", old);
    refused("fio", &["1 of 2 hosts", "`h2`", "fio-3.41"]);
    std::fs::remove_file(lab.dir.join("h2/bin/fio")).unwrap();
    // No fio.
    lab.on("h2", "mount --bind /dev/null /usr/bin/fio");
    refused(
        "no fio",
        &["`h2`", "not installed", "install package `fio`"],
    );
    lab.on("h2", "umount /usr/bin/fio");
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

#[test]
fn hosts_that_are_cut_off_or_lose_their_power_are_named_with_the_reason() {
    let Some(lab) = Lab::up(3, env!("CARGO_BIN_EXE_stripewise")) else {
        return;
    };
    let child = spawn(lab.run_long(""));
    lab.until_sampled();
    lab.act("cut", "h2", &[]);
    let began = Instant::now();
    lab.act("kill", "h3", &[]);
    let output = child.wait_with_output().unwrap();
    let text = done(&output);
    assert_eq!(output.status.code(), Some(2), "{text}");
    // The run ends at the first loss: the silence of `h3`, which began later, may not be long enough then.
    assert!(text.contains("`h2`: nothing came from it for 15"), "{text}");
    // The one restores itself, without its link; the other one has what it had when its power failed.
    lab.until_clean(
        &["h1".to_owned(), "h2".to_owned()],
        Duration::from_secs(40).saturating_sub(began.elapsed()),
    );
    lab.act("join", "h2", &[]);
    lab.act("start", "h3", &[]);
    let left = lab.left("h3");
    // Where its power failed decides whether files of a sample are there, too.
    assert!(
        left.contains("stripewise") && !left.contains("process"),
        "{left}"
    );
    let restored = lab.command("restore").output().unwrap();
    let text = done(&restored);
    assert!(restored.status.success(), "{text}");
    assert!(
        text.contains("host h2") && text.contains("host h3"),
        "{text}"
    );
    assert_eq!(lab.left("h3"), "");
}

#[test]
fn a_wrong_clock_a_missing_program_and_what_logins_print_do_no_harm() {
    let Some(lab) = Lab::up(2, env!("CARGO_BIN_EXE_stripewise")) else {
        return;
    };
    lab.act("clock", "h2", &["-5400"]);
    // The program is copied to `h1`, whose login prints, without the end of a line.
    std::fs::remove_file(lab.dir.join("h1/bin/stripewise")).unwrap();
    let greets = "echo stripewise-host says welcome; printf 'last login: never '\n";
    std::fs::write(lab.dir.join("h1/root/.bashrc"), greets).unwrap();
    let output = lab.run("").output().unwrap();
    let text = done(&output);
    assert!(output.status.success(), "{text}");
    assert!(
        text.contains("the clock of host h2 is 5400 s behind"),
        "{text}"
    );
    assert!(text.contains("About h2: see the warnings"), "{text}");
    let document = lab.command("show latest --json").output().unwrap();
    let document: Value = serde_json::from_slice(&document.stdout).unwrap();
    for sample in samples(&document) {
        let hosts = sample["hosts"].as_array().unwrap();
        let late = hosts
            .iter()
            .map(|host| &host["outcome"]["measured"]["late_ns"]);
        // Without the comparison of clocks they would be 5400 s apart.
        assert!(
            late.clone()
                .all(|late| late.as_u64().unwrap() < 1_000_000_000),
            "{sample}"
        );
    }
    lab.until_clean(&lab.names(), Duration::from_secs(5));
    // A login that ends at once says why.
    std::fs::write(
        lab.dir.join("h1/root/.bashrc"),
        "echo this account is closed; exit 3",
    )
    .unwrap();
    let text = done(&lab.run("").output().unwrap());
    for words in [
        "`h1`",
        "exit code 3",
        "login shell",
        "this account is closed",
    ] {
        assert!(text.contains(words), "{text}");
    }
}

#[test]
fn a_host_that_is_lost_before_a_sample_is_named_first_with_the_reason() {
    let Some(lab) = Lab::up(2, env!("CARGO_BIN_EXE_stripewise")) else {
        return;
    };
    let lead = |output: &Output| {
        let text = done(output);
        assert!(output.status.success(), "{text}");
        let lead = text.split("MiB/s").next().unwrap().to_owned();
        lead.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    // The disk of one fills during the first cell: the files of the second one do not fit.
    let fills = "#!/bin/sh\ncase \"$1\" in --output*)\ntest -e /mnt/once && head -c 200M /dev/zero >/mnt/fill 2>/dev/null\ntouch /mnt/once ;;\nesac\nexec /usr/bin/fio \"$@\"\n";
    lab.program("h2", "fio", fills);
    let two_cells = STUDY.replace("\"4M\"", "[\"4M\", \"8M\"]");
    let run = lab.run_study(&two_cells, "--lost-hosts continue").output();
    let lead_of_full = lead(&run.unwrap());
    assert!(
        lead_of_full.contains("One of 2 hosts was lost: h2 (failed to write the test file"),
        "{lead_of_full}"
    );
    assert!(
        lead_of_full.contains("No space left on device"),
        "{lead_of_full}"
    );
    lab.until_clean(&lab.names(), Duration::from_secs(5));
    // One that never took part.
    let study = lab.study(STUDY);
    let run = lab.command(&format!(
        "run {study} --hosts h1,gone.invalid --lost-hosts continue --target /mnt/test"
    ));
    let lead_of_gone = lead(&{ run }.output().unwrap());
    let named = "One of 2 hosts took no part: gone.invalid (its connection ended (exit code 255";
    assert!(lead_of_gone.contains(named), "{lead_of_gone}");
    assert!(
        lead_of_gone.contains("Could not resolve hostname"),
        "{lead_of_gone}"
    );
}

#[test]
fn facts_of_many_hosts_are_one_table_and_a_file_each() {
    let Some(lab) = Lab::up(count(), env!("CARGO_BIN_EXE_stripewise")) else {
        return;
    };
    let names = lab.names().join(",");
    let check = format!("check --hosts {names},gone.invalid --json");
    let output = lab.without_store(&check).output().unwrap();
    assert_eq!(output.status.code(), Some(2), "{}", done(&output));
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    let hosts = document["hosts"].as_array().unwrap();
    assert_eq!(hosts.len(), lab.count + 1);
    for (host, name) in hosts.iter().zip(lab.names()) {
        assert_eq!(host["host"], name);
        assert!(
            host["report"]["results"].as_array().unwrap().len() > 50,
            "{name}"
        );
    }
    let error = hosts[lab.count]["error"].as_str().unwrap();
    assert!(error.contains("Could not resolve hostname"), "{error}");
    assert!(
        String::from_utf8_lossy(&output.stderr).contains("1 of"),
        "{output:?}"
    );

    let out = lab.dir.join("facts");
    let collect = format!("collect --hosts {names} --out {}", out.display());
    let output = lab.without_store(&collect).output().unwrap();
    assert!(output.status.success(), "{}", done(&output));
    let mut files: Vec<String> = std::fs::read_dir(&out)
        .unwrap()
        .map(|file| file.unwrap().file_name().into_string().unwrap())
        .collect();
    files.sort();
    assert_eq!(
        files,
        lab.names()
            .iter()
            .map(|host| format!("{host}.tar.zst"))
            .collect::<Vec<_>>()
    );
    let judged = format!("check --root {} --json", out.join("h1.tar.zst").display());
    let judged = lab.without_store(&judged).output().unwrap();
    let judged: Value = serde_json::from_slice(&judged.stdout).unwrap();
    // What was collected is what `check --hosts` judged.
    assert_eq!(judged["summary"], hosts[0]["report"]["summary"]);
    lab.until_clean(&lab.names(), Duration::from_secs(5));
}

#[test]
fn outliers_and_resume_take_a_run_of_many_hosts() {
    let Some(lab) = Lab::up(count(), env!("CARGO_BIN_EXE_stripewise")) else {
        return;
    };
    let mut child = spawn(lab.run_long(""));
    lab.until_sampled();
    child.kill().unwrap();
    child.wait().unwrap();
    let output = lab.command("resume").output().unwrap();
    let text = done(&output);
    assert!(output.status.success(), "{text}");
    let shown = lab.command("show latest --json").output().unwrap();
    let document: Value = serde_json::from_slice(&shown.stdout).unwrap();
    let all = samples(&document);
    let counted = all.iter().filter(|sample| sample["counted"] == true);
    assert_eq!(counted.count(), 8, "{text}");
    let is_of_all = |sample: &&Value| sample["hosts"].as_array().unwrap().len() == lab.count;
    assert!(all.iter().all(is_of_all), "{text}");
    lab.until_clean(&lab.names(), Duration::from_secs(5));

    let output = lab.command("outliers --json").output().unwrap();
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    let hosts = document["hosts"].as_array().unwrap();
    assert_eq!(hosts.len(), lab.count, "{document}");
    for (host, name) in hosts.iter().zip(lab.names()) {
        assert_eq!(host["host"], name, "{document}");
    }
    let text = done(&lab.command("outliers").output().unwrap());
    // Two are too few to say which is slow.
    let is_judged = !text.starts_with("0 hosts judged");
    assert_eq!(is_judged, lab.count >= 8, "{text}");
}

#[test]
fn a_host_under_two_names_is_refused_and_other_spellings_are_reached() {
    let Some(lab) = Lab::up(2, env!("CARGO_BIN_EXE_stripewise")) else {
        return;
    };
    let study = lab.study(STUDY);
    let run = |hosts: &str| format!("run {study} --target /mnt/test --hosts {hosts}");
    let text = lab.refused(&run("h1,root@h1:22"));
    assert!(
        text.contains("`root@h1:22`: it is the same machine as `h1`"),
        "{text}"
    );
    // Through another host, by a range, and as an inventory says it.
    let config = lab.dir.join("ssh_config");
    let known = std::fs::read_to_string(&config).unwrap();
    let address = known
        .split("Host h2\n HostName ")
        .nth(1)
        .unwrap()
        .lines()
        .next()
        .unwrap();
    let jump = format!("{known}Host far\n HostName {address}\n HostKeyAlias h2\n ProxyJump h1\n");
    std::fs::write(&config, jump).unwrap();
    let inventory = lab.dir.join("hosts.ini");
    std::fs::write(
        &inventory,
        "[lab]\nh[1:1]:22 ansible_ssh_user=root\nfar note='by h1'\n",
    )
    .unwrap();
    let check = format!(
        "check --json --hosts lab --inventory {}",
        inventory.display()
    );
    let output = lab.without_store(&check).output().unwrap();
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    for (index, name) in ["h1", "far"].into_iter().enumerate() {
        assert_eq!(document["hosts"][index]["host"], name);
        assert!(document["hosts"][index]["report"].is_object(), "{document}");
    }
}
