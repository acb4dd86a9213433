//! `stripewise lab doctor`: what the lab needs, and what of it is missing.

use serde::Serialize;
use stripewise_answer::{Answer, Block, Pair};
use stripewise_catalogue::{Argument, Message};
use stripewise_lab::Kvm;
use stripewise_lab::doctor::{DoctorReport, GuestState, ProgramState, Room};
use stripewise_lab::extra::Extra;
use stripewise_lab::kernel_needs::{KernelNeeds, NeededPart};
use stripewise_lab::recipe::Request;
use stripewise_report::document::SCHEMA;

use super::{GuestArgs, with_steps};
use crate::answers::{self, FormatArgs};
use crate::exit::Exit;
use crate::failure::Result;
use crate::lab_world::CacheArgs;
use crate::printer::Printer;

/// Examples at the end of the long help.
const DOCTOR_EXAMPLES: &str = "\
Examples:
  Check this machine:
    stripewise lab doctor

  Whether everything is there for the newest kernel of a suite:
    stripewise lab doctor --suite trixie-backports

  What an unpacked kernel lacks, before it is prepared:
    stripewise lab doctor --tree /srv/linux-6.18

  Print the missing programs, for a script:
    stripewise lab doctor --json \\
        | jq -r '.programs[] | select(.path == null).program'
";

/// Check the lab's requirements and list the missing ones
///
/// Prints each program that the lab needs with its version or the package to install, disk space,
/// memory, whether KVM works (it tries KVM), and the prepared guests; it compares their files with
/// their checksums. Installs nothing; the last line is the `apt-get install` command for the missing
/// packages.
///
/// With the options of `lab prepare` that name a guest it also says what that one is prepared from: the
/// kernel with its headers, the compiler that these ask for, and the tools, each with its packages or
/// why it is missing. `--kernel` takes the names of prepared guests, too. This downloads lists of packages,
/// as `lab prepare` does, and no package.
///
/// Exit codes: 0 everything is there, 1 something is missing or damaged. A guest that is not
/// prepared yet does not count as missing: `stripewise lab prepare` makes it.
#[derive(Debug, clap::Args)]
#[command(after_long_help = DOCTOR_EXAMPLES)]
pub(super) struct DoctorArgs {
    #[command(flatten)]
    guest: GuestArgs,

    #[command(flatten)]
    cache: CacheArgs,

    #[command(flatten)]
    format: FormatArgs,
}

#[derive(Serialize)]
struct Document<'a> {
    schema: u32,
    is_complete: bool,
    #[serde(flatten)]
    report: &'a DoctorReport,
}

pub(super) fn doctor(args: &DoctorArgs, printer: &mut Printer) -> Result<Exit> {
    let cache = args.cache.locate()?;
    let request = args.guest.asked();
    let found = request.clone().unwrap_or_default().resolved(&cache)?;
    let mut report = DoctorReport::new(&cache, &found);
    if let Some(request) = request {
        report.kernel = Some(with_steps(printer, |report| {
            KernelNeeds::of(&cache, &request, report)
        })?);
    }
    let is_complete = report.is_complete();
    let document = Document {
        schema: SCHEMA,
        is_complete,
        report: &report,
    };
    let answer = Answer::new(Message::new("doctor-title"), document, described(&report));
    answers::print(
        "lab doctor",
        &answer.no_if(!is_complete),
        args.format,
        printer,
    )
}

impl GuestArgs {
    /// Returns the guest that is asked about; `None` if only the machine is.
    fn asked(&self) -> Option<Request> {
        let request = self.request();
        (request != Request::default()).then_some(request)
    }
}

/// Returns the parts of a guest, with their packages or why they are missing.
fn parts_in_words(needs: &KernelNeeds) -> Vec<Pair> {
    let mut pairs: Vec<Pair> = needs.parts.iter().map(part_in_words).collect();
    let message = Message::new(match needs.is_prepared {
        true => "doctor-needs-prepared",
        false if needs.is_complete() => "doctor-needs-command",
        false => "doctor-needs-not",
    });
    let message = message.name("command", &needs.prepare_command);
    pairs.push(Block::pair(Message::new("doctor-needs-guest"), message));
    pairs
}

fn part_in_words(part: &NeededPart) -> Pair {
    let name = Message::new("doctor-needs-part").name("part", part.part.as_str());
    let what = part.what.as_deref().unwrap_or_default();
    let left = part
        .packages
        .iter()
        .filter(|package| !package.is_downloaded);
    let left_bytes: u64 = left.map(|package| package.bytes).sum();
    let value = match (&part.problem, &part.place, part.packages.len()) {
        (Some(problem), ..) => Message::new("doctor-needs-missing").name("problem", problem),
        (None, Some(place), _) => Message::new("doctor-needs-place")
            .name("what", what)
            .name("place", place.display()),
        (None, None, 0) => Message::new("doctor-needs-own").name("what", what),
        (None, None, count) => Message::new("doctor-needs-packages")
            .name("what", what)
            .name("named", if what.is_empty() { "no" } else { "yes" })
            .digits("packages", count)
            .with(
                "left",
                Argument::quantity((left_bytes >> 20).to_string(), "MiB"),
            ),
    };
    Block::pair(name, value)
}

/// Returns a report for people.
fn described(report: &DoctorReport) -> Vec<Block> {
    let pair = |id: &'static str, value: Message| Block::pair(Message::new(id), value);
    let named = |name: &str, value: Argument| Block::pair(Argument::Name(name.to_owned()), value);
    let (kvm, kvm_state) = match &report.kvm {
        Kvm::Works => (Message::new("doctor-kvm-works"), "works"),
        Kvm::Fails { why } => {
            let fails = Message::new("doctor-kvm-fails").with("why", why.message());
            (fails, "fails")
        }
    };
    let run_clock = Message::new("doctor-run-clock-is").name("clock", report.measuring_clock);
    let shell_clock = Message::new("doctor-shell-clock-is")
        .name("clock", report.functional_clock)
        .name("kvm", kvm_state);
    let programs = report.programs.iter();
    let programs = programs.map(|program| named(program.program, described_program(program)));
    let mut pairs: Vec<Pair> = programs.collect();
    let fact = |id: &'static str, fact: String| Block::pair(Message::new(id), Argument::Name(fact));
    pairs.extend([
        fact("doctor-processor", report.architecture.to_owned()),
        pair("doctor-space", room_in_words(&report.space)),
        pair("doctor-memory", room_in_words(&report.memory)),
        named("KVM", kvm.into()),
        pair("doctor-run-clock", run_clock),
        pair("doctor-shell-clock", shell_clock),
        fact("doctor-cache", report.cache.display().to_string()),
    ]);
    let guests = report.guests.iter();
    pairs.extend(guests.map(|guest| pair("doctor-guest", guest_in_words(guest))));
    if report.guests.is_empty() {
        let none = Message::new("doctor-guest-none").name("command", &report.prepare_command);
        pairs.push(pair("doctor-guest", none));
    }
    let zfs = zfs_in_words(report).into_iter();
    pairs.extend(zfs.map(|message| named(Extra::Zfs.name(), message.into())));
    for database in [Extra::MariaDb, Extra::PostgreSql] {
        let messages = database_in_words(report, database).into_iter();
        pairs.extend(messages.map(|message| named(database.name(), message.into())));
    }
    pairs.extend(report.kernel.iter().flat_map(parts_in_words));
    let mut blocks = vec![Block::Pairs(pairs)];
    let packages = report.missing_packages();
    if !packages.is_empty() {
        // Never broken: it is copied, or piped to a shell.
        let command = format!("apt-get install {}", packages.join(" "));
        blocks.extend([
            Block::say(Message::new("doctor-install")),
            Block::Code(command),
        ]);
    }
    blocks
}

fn described_program(program: &ProgramState) -> Argument {
    let message = match (&program.path, &program.version) {
        (Some(_), Some(version)) => return Argument::Name(version.clone()),
        (Some(_), None) => Message::new("doctor-installed"),
        (None, _) => {
            let purpose = Message::new("doctor-purpose")
                .name("program", program.program)
                .name("purpose", program.purpose);
            Message::new(match program.is_required {
                true => "doctor-missing",
                false => "doctor-optional",
            })
            .with("purpose", purpose)
            .name("package", program.package)
        }
    };
    message.into()
}

fn guest_in_words(guest: &GuestState) -> Message {
    let state = match guest {
        _ if guest.damaged_file.is_some() => "damaged",
        _ if !guest.is_current => "outdated",
        _ if guest.is_default => "default",
        _ => "named",
    };
    let file = guest.damaged_file.as_ref();
    let size = Argument::quantity((guest.bytes >> 20).to_string(), "MiB");
    Message::new("doctor-guest-is")
        .name("kernel", &guest.name)
        .with("size", size)
        .name(
            "source",
            match guest.made_from.is_empty() {
                true => "own",
                false => "named",
            },
        )
        .name("made_from", &guest.made_from)
        .name("state", state)
        .name(
            "file",
            file.map(|file| file.display().to_string())
                .unwrap_or_default(),
        )
        .name("command", &guest.prepare_command)
}

/// Says which guests have ZFS, or how to prepare one that does.
fn zfs_in_words(report: &DoctorReport) -> Vec<Message> {
    let built = report.guests.iter().filter_map(|guest| {
        let zfs = guest.zfs.as_ref()?;
        let time = Argument::quantity(zfs.built_in_s.to_string(), "s");
        Some(
            Message::new("doctor-zfs-is")
                .name("version", &zfs.version)
                .name("kernel", &guest.name)
                .with("time", time),
        )
    });
    let built: Vec<Message> = built.collect();
    match built.is_empty() {
        true => vec![Message::new("doctor-zfs-none").name("command", &report.zfs_command)],
        false => built,
    }
}

/// Says which guests have a database, or how to prepare one that does.
fn database_in_words(report: &DoctorReport, database: Extra) -> Vec<Message> {
    let guests = report.guests.iter().filter_map(|guest| {
        let version = guest.databases.get(&database)?;
        Some(
            Message::new("doctor-database-is")
                .name("version", version)
                .name("kernel", &guest.name),
        )
    });
    let found: Vec<Message> = guests.collect();
    match found.is_empty() {
        true => {
            let command = format!("{} --with {database}", report.prepare_command);
            vec![Message::new("doctor-database-none").name("command", command)]
        }
        false => found,
    }
}

fn room_in_words(room: &Room) -> Message {
    let gib = |bytes: u64| {
        let digits = format!("{}.{}", bytes >> 30, (bytes >> 20) % 1024 * 10 / 1024);
        Argument::quantity(digits, "GiB")
    };
    let message = match room.available_bytes {
        None => Message::new("doctor-room-unknown"),
        Some(available) => Message::new(match room.is_too_small() {
            true => "doctor-room-short",
            false => "doctor-room",
        })
        .with("free", gib(available)),
    };
    message.with("needed", gib(room.needed_bytes))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::path::PathBuf;

    use stripewise_catalogue::Language;
    use stripewise_lab::KvmFault;
    use stripewise_lab::kernel_needs::{NeededPackage, PartName};
    use stripewise_lab::manifest::ZfsBuild;
    use stripewise_report::render::terminal;
    use stripewise_report::view::View;
    use stripewise_study::guest_clock::Clock;

    use stripewise_catalogue::Words;

    use super::*;

    fn report() -> DoctorReport {
        let program = |program, version: Option<&str>, is_required| ProgramState {
            program,
            purpose: "PURPOSE",
            package: "package",
            path: version.map(|_| PathBuf::from("/bin/x")),
            version: version.map(str::to_owned),
            is_required,
        };
        let guest = |kernel: &str, is_default, is_current| GuestState {
            kernel: kernel.to_owned(),
            name: kernel.to_owned(),
            made_from: String::new(),
            is_default,
            is_current,
            bytes: 300 << 20,
            damaged_file: None,
            zfs: None,
            databases: BTreeMap::new(),
            prepare_command: "stripewise lab prepare --cache /cache".to_owned(),
        };
        let room = |available_bytes| Room {
            available_bytes,
            needed_bytes: 3 << 29,
        };
        DoctorReport {
            architecture: "x86_64",
            programs: vec![
                program("qemu-system-x86_64", Some("QEMU 7.2"), true),
                program("readelf", None, true),
                program("zstd", None, false),
                program("new-tool", None, false),
            ],
            cache: PathBuf::from("/cache"),
            space: room(Some(1 << 30)),
            memory: room(None),
            kvm: Kvm::Fails {
                why: KvmFault::NotOpened("ERROR".to_owned()),
            },
            measuring_clock: Clock::Virtual,
            functional_clock: Clock::Wall,
            guests: vec![
                GuestState {
                    zfs: Some(ZfsBuild {
                        version: "2.1.11-1".to_owned(),
                        built_in_s: 338,
                    }),
                    databases: BTreeMap::from([(Extra::MariaDb, "10.11.19".to_owned())]),
                    ..guest("6.1.0", true, true)
                },
                GuestState {
                    name: "5.10.0@tree-1a2b3c4d".to_owned(),
                    made_from: "--tree /srv/linux".to_owned(),
                    ..guest("5.10.0", false, true)
                },
                guest("4.19.0", false, false),
                GuestState {
                    damaged_file: Some(PathBuf::from("/cache/guests/4.9.0/root.img")),
                    ..guest("4.9.0", false, true)
                },
            ],
            prepare_command: "stripewise lab prepare".to_owned(),
            zfs_command: "stripewise lab prepare --with zfs".to_owned(),
            kernel: None,
        }
    }

    #[test]
    fn the_doctor_speaks_both_languages() {
        expect_test::expect![[r#"
            qemu-system-x86_64: QEMU 7.2
            readelf: MISSING: finds the libraries fio can do without; package `package`
            zstd: not installed: decompresses kernel modules; package `package`
            new-tool: not installed: PURPOSE; package `package`
            processor: x86_64
            disk space: TOO LITTLE: 1.0 GiB free, 1.5 GiB needed
            memory: free: unknown, 1.5 GiB needed
            KVM: cannot be used: `/dev/kvm` cannot be opened: ERROR
            clock of runs: virtual: independent of this machine's load
            clock of shells: wall: KVM cannot be used
            cache: /cache
            prepared guest: 6.1.0 (300 MiB), used by default
            prepared guest: 5.10.0@tree-1a2b3c4d (300 MiB) made from `--tree /srv/linux`, used with `--kernel`
            prepared guest: 4.19.0 (300 MiB), made by another version: run `stripewise lab prepare --cache /cache` again
            prepared guest: 4.9.0 (300 MiB), DAMAGED: `/cache/guests/4.9.0/root.img` is missing or has changed; run `stripewise lab prepare --cache /cache` again, or delete the guest's directory
            ZFS: 2.1.11-1 for 6.1.0, built in 338 s
            MariaDB: 10.11.19 in the guest with 6.1.0
            PostgreSQL: in no guest: `stripewise lab prepare --with postgresql` adds it
            Install what is missing:
            apt-get install package
        "#]].assert_eq(&terminal(&described(&report()), View::PLAIN));
        let view = View::PLAIN.in_language(Language::German);
        expect_test::expect![[r#"
            qemu-system-x86_64: QEMU 7.2
            readelf: FEHLT: findet die Bibliotheken, auf die fio verzichten kann; Paket `package`
            zstd: nicht installiert: dekomprimiert Kernelmodule; Paket `package`
            new-tool: nicht installiert: PURPOSE; Paket `package`
            Prozessor: x86_64
            Plattenplatz: ZU WENIG: 1,0 GiB frei, 1,5 GiB nötig
            Arbeitsspeicher: frei: unbekannt, 1,5 GiB nötig
            KVM: nicht benutzbar: `/dev/kvm` lässt sich nicht öffnen: ERROR
            Uhr der Läufe: virtual: unabhängig von der Last dieser Maschine
            Uhr der Shells: wall: KVM ist nicht benutzbar
            Cache: /cache
            vorbereiteter Gast: 6.1.0 (300 MiB), wird standardmäßig benutzt
            vorbereiteter Gast: 5.10.0@tree-1a2b3c4d (300 MiB) aus `--tree /srv/linux`, wird mit `--kernel` benutzt
            vorbereiteter Gast: 4.19.0 (300 MiB), von einer anderen Version: führen Sie `stripewise lab prepare --cache /cache` noch einmal aus
            vorbereiteter Gast: 4.9.0 (300 MiB), BESCHÄDIGT: `/cache/guests/4.9.0/root.img` fehlt oder hat sich geändert; führen Sie `stripewise lab prepare --cache /cache` noch einmal aus, oder löschen Sie das Verzeichnis des Gasts
            ZFS: 2.1.11-1 für 6.1.0, gebaut in 338 s
            MariaDB: 10.11.19 im Gast mit 6.1.0
            PostgreSQL: in keinem Gast: `stripewise lab prepare --with postgresql` fügt es hinzu
            Was fehlt, installiert:
            apt-get install package
        "#]].assert_eq(&terminal(&described(&report()), view));
    }

    #[test]
    fn the_parts_of_a_guest_are_listed_with_what_is_missing() {
        let part = |part, what: Option<&str>, count: u64, problem: Option<&str>| {
            let packages = (0..count).map(|number| NeededPackage {
                name: format!("package-{number}"),
                version: "1".to_owned(),
                bytes: 2 << 20,
                is_downloaded: number == 0,
            });
            NeededPart {
                part,
                what: what.map(str::to_owned),
                place: (count == 9).then(|| PathBuf::from("/srv/linux")),
                packages: packages.collect(),
                problem: problem.map(str::to_owned),
            }
        };
        let needs = |is_prepared, problem| KernelNeeds {
            asked: Some("7.3".to_owned()),
            parts: vec![
                part(PartName::Kernel, Some("7.3.4-cloud-amd64"), 4, None),
                part(PartName::Kernel, Some("6.9.0-own"), 9, None),
                part(PartName::Compiler, Some("gcc-12 12.2.0"), 0, None),
                part(PartName::Compiler, Some("gcc-14"), 0, problem),
                part(PartName::Tools, None, 70, None),
            ],
            is_prepared,
            prepare_command: "stripewise lab prepare --kernel 7.3".to_owned(),
        };
        let said = |is_prepared, language| {
            let block = Block::Pairs(parts_in_words(&needs(is_prepared, Some("WHY"))));
            terminal(&[block], View::PLAIN.in_language(language))
        };
        expect_test::expect![[r#"
            its kernel: 7.3.4-cloud-amd64: 4 packages, 6 MiB to download
            its kernel: 6.9.0-own, in `/srv/linux`
            its compiler: gcc-12 12.2.0, this machine's
            its compiler: MISSING: WHY
            its tools: 70 packages, 138 MiB to download
            its guest: cannot be prepared: parts are missing
        "#]]
        .assert_eq(&said(false, Language::English));
        let whole = Block::Pairs(parts_in_words(&needs(false, None)));
        let whole = terminal(&[whole], View::PLAIN);
        assert!(
            whole.ends_with(
                "its guest: not prepared yet: `stripewise lab prepare --kernel 7.3` makes it\n"
            ),
            "{whole}"
        );
        expect_test::expect![[r#"
            sein Kernel: 7.3.4-cloud-amd64: 4 Pakete, 6 MiB herunterzuladen
            sein Kernel: 6.9.0-own, in `/srv/linux`
            sein Compiler: gcc-12 12.2.0, der dieser Maschine
            sein Compiler: FEHLT: WHY
            seine Werkzeuge: 70 Pakete, 138 MiB herunterzuladen
            sein Gast: vorbereitet
        "#]]
        .assert_eq(&said(true, Language::German));
    }

    #[test]
    fn without_zfs_the_doctor_says_how_to_prepare_it() {
        let guests = Vec::new();
        let report = DoctorReport { guests, ..report() };
        let words = zfs_in_words(&report).remove(0).in_english();
        assert!(
            words.contains("`stripewise lab prepare --with zfs`"),
            "{words}"
        );
    }
}
