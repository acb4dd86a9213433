//! What the guest of one kernel is prepared from: the kernel with its headers, the compiler that these
//! ask for, and the tools, each with its packages or why it is missing.

use std::path::{Path, PathBuf};

use serde::Serialize;
use stripewise_units::causes::chain;

use crate::apt::Apt;
use crate::apts::{Apts, with_lists};
use crate::cache::{Cache, Part, Prepared, prepare_command};
use crate::compiler::{self, Origin};
use crate::error::LabError;
use crate::kernel;
use crate::kernel_files;
use crate::local_packages;
use crate::manifest::MadeFrom;
use crate::packaged_kernel;
use crate::prepare::{PreparationStep, is_current};
use crate::recipe::{LEFT_OUT, Request, TOOLS, recipe_sha256};

/// A part of a guest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum PartName {
    /// The kernel, its modules and its headers.
    Kernel,
    /// The compiler for the disk module.
    Compiler,
    /// The guest's tools.
    Tools,
}

impl PartName {
    /// Returns its name in documents.
    pub const fn as_str(self) -> &'static str {
        match self {
            PartName::Kernel => "kernel",
            PartName::Compiler => "compiler",
            PartName::Tools => "tools",
        }
    }
}

/// A package that a guest is prepared from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct NeededPackage {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
    /// The size of its file.
    pub bytes: u64,
    /// Whether the cache has it.
    pub is_downloaded: bool,
}

/// A part, and where it comes from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct NeededPart {
    /// Its name.
    pub part: PartName,
    /// What it is: a kernel's release, or a compiler.
    pub what: Option<String>,
    /// The directory that has it, if it is in a tree.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<PathBuf>,
    /// Its packages; none if it is this machine's own, in a tree, or missing.
    pub packages: Vec<NeededPackage>,
    /// Why it is missing; `None` if it is not.
    pub problem: Option<String>,
}

/// What a guest is prepared from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct KernelNeeds {
    /// The kernel that was asked for.
    pub asked: Option<String>,
    /// The parts.
    pub parts: Vec<NeededPart>,
    /// Whether a guest with this kernel is prepared.
    pub is_prepared: bool,
    /// The command that prepares it.
    pub prepare_command: String,
}

impl KernelNeeds {
    /// Looks up what `request` needs. Downloads lists of packages as `lab prepare` does, and no package.
    ///
    /// # Errors
    /// If the cache cannot be used, or this process is asked to stop. A missing part is no error.
    pub fn of(
        cache: &Cache,
        request: &Request,
        report: &mut dyn FnMut(PreparationStep),
    ) -> Result<Self, LabError> {
        let _lock = cache.lock(Part::Guests, &mut || report(PreparationStep::Wait))?;
        let asked = request.kernel.clone();
        let request = &request.clone().resolved(cache)?;
        let key = request.source.identity();
        let apts = key.and_then(|key| {
            let apts = Apts::new(cache, request, key.as_deref(), report)?;
            Ok((apts, key))
        });
        let (parts, key) = match apts {
            Ok((mut apts, key)) => (parts(cache, request, &mut apts, report)?, key),
            Err(error) => {
                let part = missing(PartName::Kernel, request.kernel.clone(), error)?;
                (vec![part], None)
            }
        };
        let release = parts.first().and_then(|part| part.what.clone());
        let wanted = Request {
            kernel: release.filter(|release| kernel::is_safe(release)),
            ..request.clone()
        };
        let is_it = |guest: &Prepared| is_current(guest, &wanted, &recipe_sha256(), key.as_deref());
        let is_new = wanted.kernel.is_some() && cache.guests().iter().any(is_it);
        // One that is named can be used, also if what it was made from has changed or is gone.
        let named = asked.as_deref().and_then(|asked| cache.named(asked));
        let is_named = named.is_some_and(|guest| guest.manifest.recipe_sha256 == recipe_sha256());
        let kernel_options = request.source.options();
        let made_from = MadeFrom {
            kernel_options: &kernel_options,
            tools: request.tools.as_deref(),
        };
        let command = prepare_command(request.kernel.as_deref(), cache.path());
        Ok(Self {
            asked,
            parts,
            is_prepared: is_new || is_named,
            prepare_command: command + &made_from.options(),
        })
    }

    /// Returns whether nothing is missing.
    pub fn is_complete(&self) -> bool {
        self.parts.iter().all(|part| part.problem.is_none())
    }
}

fn parts(
    cache: &Cache,
    request: &Request,
    apts: &mut Apts,
    report: &mut dyn FnMut(PreparationStep),
) -> Result<Vec<NeededPart>, LabError> {
    let asked = request.kernel.as_deref();
    let source = &request.source;
    let found = match (&source.tree, source.packages.as_slice()) {
        (Some(tree), _) => in_tree(tree, asked),
        (None, []) => with_lists(apts.for_kernel(), report, |apt, _| {
            let release = packaged_kernel::choose(apt, asked)?.release;
            let names = packaged_kernel::packages(apt, &release)?;
            let headers = apt.dependencies(&format!("linux-headers-{release}"))?;
            let packages = looked_up(cache, apt, &names)?;
            Ok((
                kernel_part(release, None, packages),
                compiler::named_by(&headers),
            ))
        }),
        (None, files) => in_packages(files, asked),
    };
    let mut all = Vec::new();
    match found {
        Err(error) => all.push(missing(PartName::Kernel, request.kernel.clone(), error)?),
        Ok((kernel, compiler)) => {
            all.push(kernel);
            if let Some(name) = compiler {
                all.push(compiler_part(cache, request, apts, name, report)?);
            }
        }
    }
    let tools = with_lists(apts.for_tools(), report, |apt, _| {
        let mut names = apt.closure(&TOOLS)?;
        names.retain(|name| !LEFT_OUT.iter().any(|prefix| name.starts_with(prefix)));
        looked_up(cache, apt, &names)
    });
    all.push(match tools {
        Err(error) => missing(PartName::Tools, None, error)?,
        Ok(packages) => NeededPart {
            part: PartName::Tools,
            what: None,
            place: None,
            packages,
            problem: None,
        },
    });
    Ok(all)
}

/// Returns the kernel in a tree, and the compiler that its headers ask for.
fn in_tree(tree: &Path, asked: Option<&str>) -> Result<(NeededPart, Option<String>), LabError> {
    let found = kernel_files::examine(tree)?;
    kernel_files::check_asked(asked, &found.release, "", tree)?;
    let compiler = compiler::asked_by(&found.configured)?;
    let place = Some(tree.to_owned());
    Ok((kernel_part(found.release, place, Vec::new()), compiler))
}

/// Returns the kernel in package files, and the compiler that its headers ask for.
fn in_packages(
    files: &[PathBuf],
    asked: Option<&str>,
) -> Result<(NeededPart, Option<String>), LabError> {
    local_packages::check(files)?;
    let release = local_packages::release(files)?;
    let packages = kernel_files::packages(files)?.into_iter();
    let packages = packages.map(|package| NeededPackage {
        name: package.record.name,
        version: package.record.version,
        bytes: package.record.file.bytes,
        is_downloaded: true,
    });
    let packages: Vec<NeededPackage> = packages.collect();
    let image = kernel::image_package(&release);
    let image = packages.iter().find(|package| package.name == image);
    let version = image.map_or("", |package| &package.version);
    kernel_files::check_asked(asked, &release, version, &files[0])?;
    let compiler = local_packages::compiler(files)?;
    Ok((kernel_part(release, None, packages), compiler))
}

fn kernel_part(
    release: String,
    place: Option<PathBuf>,
    packages: Vec<NeededPackage>,
) -> NeededPart {
    NeededPart {
        part: PartName::Kernel,
        what: Some(release),
        place,
        packages,
        problem: None,
    }
}

/// Returns where the compiler `name` comes from, as `lab prepare` chooses it.
fn compiler_part(
    cache: &Cache,
    request: &Request,
    apts: &mut Apts,
    name: String,
    report: &mut dyn FnMut(PreparationStep),
) -> Result<NeededPart, LabError> {
    let look_up = || {
        with_lists(apts.for_kernel(), report, |apt, _| {
            looked_up(cache, apt, &compiler::packages(apt, &name)?)
        })
    };
    let (what, packages) = match compiler::choose(&name, &request.source, look_up) {
        Ok(Origin::Machine(own)) => (own.version, Vec::new()),
        Ok(Origin::Packages(packages)) => (name, packages),
        Err(error) => return missing(PartName::Compiler, Some(name), error),
    };
    Ok(NeededPart {
        part: PartName::Compiler,
        what: Some(what),
        place: None,
        packages,
        problem: None,
    })
}

fn looked_up(cache: &Cache, apt: &Apt, names: &[String]) -> Result<Vec<NeededPackage>, LabError> {
    let downloads = cache.downloads_path();
    let offers = apt.offered(names)?.into_iter();
    let packages = offers.map(|offer| NeededPackage {
        is_downloaded: offer.is_in(&downloads),
        bytes: offer.bytes,
        name: offer.name,
        version: offer.version,
    });
    Ok(packages.collect())
}

/// Returns the part that is missing because of an error.
///
/// # Errors
/// That of a process that is asked to stop.
fn missing(part: PartName, what: Option<String>, error: LabError) -> Result<NeededPart, LabError> {
    if matches!(error, LabError::Interrupted) {
        return Err(error);
    }
    let causes = chain(&error);
    Ok(NeededPart {
        part,
        what,
        place: None,
        packages: Vec::new(),
        problem: Some(match error.hint() {
            Some(hint) => format!("{causes}; {hint}"),
            None => causes,
        }),
    })
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use super::*;
    use crate::kernel_source::KernelSource;
    use crate::manifest::checksum;

    const RELEASE: &str = "7.3.4-cloud-amd64";

    /// An archive: names of packages with what they depend on.
    fn whole() -> Vec<(String, &'static str)> {
        let image = (format!("linux-image-{RELEASE}"), "");
        let headers = (
            format!("linux-headers-{RELEASE}"),
            "linux-base, gcc-99-for-host",
        );
        let tools = TOOLS.iter().map(|tool| ((*tool).to_owned(), ""));
        let compiler = ("gcc-99".to_owned(), "");
        [image, headers, compiler]
            .into_iter()
            .chain(tools)
            .collect()
    }

    /// Looks up a kernel in an archive of these packages, each in version 7.3.9-1.
    fn needs(packages: &[(String, &str)], kernel: &str) -> Vec<NeededPart> {
        let request = Request {
            kernel: Some(kernel.to_owned()),
            ..Request::default()
        };
        look_up(packages, &request)
    }

    /// Looks up what a request needs in an archive of these packages.
    fn look_up(packages: &[(String, &str)], request: &Request) -> Vec<NeededPart> {
        let folder = tempfile::tempdir().unwrap();
        let mut list = String::new();
        for (name, depends) in packages {
            let depends = match *depends {
                "" => String::new(),
                names => format!("Depends: {names}\n"),
            };
            let sum = "0".repeat(64);
            writeln!(list, "Package: {name}\nVersion: 7.3.9-1\nArchitecture: all\nMaintainer: nobody <x@example.org>\n{depends}Description: a package\nFilename: ./{name}_7.3.9-1_all.deb\nSize: 1000\nSHA256: {sum}\n").unwrap();
        }
        std::fs::write(folder.path().join("Packages"), list).unwrap();
        let sources = folder.path().join("archive.list");
        let source = format!("deb [trusted=yes] copy:{} ./\n", folder.path().display());
        std::fs::write(&sources, source).unwrap();
        let cache = Cache::at(&folder.path().join("cache")).unwrap();
        let mut own = Apt::new(&folder.path().join("state"), Some(&sources)).unwrap();
        own.update().unwrap();
        let mut apts = Apts {
            own,
            named: None,
            tools: None,
        };
        parts(&cache, request, &mut apts, &mut |_| {}).unwrap()
    }

    #[test]
    fn nothing_is_missing_of_a_kernel_that_the_archive_has_whole() {
        let parts = needs(&whole(), "7.3");
        let names: Vec<PartName> = parts.iter().map(|part| part.part).collect();
        assert_eq!(
            names,
            [PartName::Kernel, PartName::Compiler, PartName::Tools]
        );
        assert!(parts.iter().all(|part| part.problem.is_none()), "{parts:?}");
        assert_eq!(parts[0].what.as_deref(), Some(RELEASE));
        assert_eq!(parts[1].what.as_deref(), Some("gcc-99"));
        let counts: Vec<usize> = parts.iter().map(|part| part.packages.len()).collect();
        assert_eq!(counts, [2, 1, TOOLS.len()]);
        let image = &parts[0].packages[0];
        assert_eq!((image.bytes, image.is_downloaded), (1000, false));
    }

    #[test]
    fn a_kernel_is_found_by_its_release_or_by_the_version_of_its_package() {
        let found = |kernel| needs(&whole(), kernel)[0].what.clone().unwrap();
        for asked in ["7.3", "7.3.4", "7.3.9", "7.3.9-1"] {
            assert_eq!(found(asked), RELEASE, "{asked}");
        }
        assert!(needs(&whole(), "7.3.8")[0].problem.is_some());
    }

    /// Returns which kernel `--suite new` takes, where `new` adds a release candidate to `base`.
    fn choice_of_suite(kernel: Option<&str>) -> Result<String, LabError> {
        let folder = tempfile::tempdir().unwrap();
        let mut sources = String::new();
        for (suite, release, version, common) in [
            ("base", "7.2.13+deb14", "7.2.13-1", "7.2.13+deb14"),
            ("new", "7.3", "7.3~rc7-1", "7.3"),
        ] {
            let mut list = String::new();
            for (name, depends) in [
                (format!("linux-image-{release}-cloud-amd64"), String::new()),
                (
                    format!("linux-headers-{release}-cloud-amd64"),
                    String::new(),
                ),
                (format!("linux-headers-{common}-common"), String::new()),
                (
                    kernel::default_package(),
                    format!("Depends: linux-image-{release}-cloud-amd64\n"),
                ),
            ] {
                let sum = "0".repeat(64);
                writeln!(list, "Package: {name}\nVersion: {version}\nArchitecture: all\nMaintainer: nobody <x@example.org>\n{depends}Description: a package\nFilename: ./{name}_{version}_all.deb\nSize: 1000\nSHA256: {sum}\n").unwrap();
            }
            let root = folder.path().join("dists").join(suite);
            let place = root.join("main/binary-amd64");
            std::fs::create_dir_all(&place).unwrap();
            std::fs::write(place.join("Packages"), &list).unwrap();
            let sum = checksum(&place.join("Packages")).unwrap().sha256;
            let head = format!(
                "Suite: {suite}\nCodename: {suite}\nArchitectures: all amd64\nComponents: main\nSHA256:\n {sum} {} main/binary-amd64/Packages\n",
                list.len()
            );
            std::fs::write(root.join("Release"), head).unwrap();
            let at = folder.path().display();
            writeln!(sources, "deb [trusted=yes] copy:{at} {suite} main").unwrap();
        }
        let list = folder.path().join("suite.list");
        std::fs::write(&list, sources).unwrap();
        let state = folder.path().join("state");
        let mut apt = Apt::new(&state, Some(&list)).unwrap().preferring("new");
        apt.update().unwrap();
        packaged_kernel::choose(&apt, kernel).map(|kernel| kernel.release)
    }

    #[test]
    fn a_suite_gives_its_own_kernel_or_none() {
        for asked in [None, Some("7.3"), Some("7.3~rc7")] {
            let found = choice_of_suite(asked).unwrap();
            assert_eq!(found, "7.3-cloud-amd64", "{asked:?}");
        }
        let error = choice_of_suite(Some("7.2")).unwrap_err();
        assert_eq!(
            error.to_string(),
            "failed to find a kernel `7.2` in the suite `new`: 7.2.13+deb14-cloud-amd64 is of the suite that it adds to"
        );
        let error = choice_of_suite(Some("5.10")).unwrap_err();
        assert!(matches!(error, LabError::NoKernel { .. }), "{error}");
    }

    /// `lab doctor` once knew only archives: of a tree or package files it said nothing.
    #[test]
    fn the_parts_in_a_tree_are_named_with_what_is_missing() {
        let folder = tempfile::tempdir().unwrap();
        let tree = folder.path().join("tree");
        let write = |place: &str, text: &str| {
            let path = tree.join(place);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        write("lib/modules/6.9.0-own/kernel/x.ko", "x");
        write("boot/vmlinuz-6.9.0-own", "x");
        let request = |kernel: Option<&str>, tree: &Path| Request {
            kernel: kernel.map(str::to_owned),
            source: KernelSource {
                tree: Some(tree.to_owned()),
                ..KernelSource::default()
            },
            ..Request::default()
        };
        let of = |kernel, tree: &Path| look_up(&whole(), &request(kernel, tree));
        let problem = |parts: &[NeededPart]| parts[0].problem.clone().unwrap();
        let parts = of(None, &tree);
        assert!(problem(&parts).contains("it has no headers"), "{parts:?}");
        write("usr/src/linux-headers-6.9.0-own/Makefile", "CC = gcc-99\n");
        let parts = of(Some("6.9"), &tree);
        assert!(parts.iter().all(|part| part.problem.is_none()), "{parts:?}");
        assert_eq!(parts[0].what.as_deref(), Some("6.9.0-own"));
        assert_eq!(parts[0].place.as_ref(), Some(&tree));
        assert_eq!(
            (parts[1].what.as_deref(), parts[1].packages.len()),
            (Some("gcc-99"), 1)
        );
        let other = problem(&of(Some("6.12"), &tree));
        assert!(
            other.ends_with("its kernel is 6.9.0-own, and `--kernel` asks for 6.12"),
            "{other}"
        );
        let none = problem(&of(None, &tree.join("none")));
        assert!(none.contains("it has no modules"), "{none}");
        write("usr/src/linux-headers-6.9.0-own/Makefile", "CC = gcc-98\n");
        let parts = of(None, &tree);
        let lacking = parts[1].problem.as_deref().unwrap();
        assert!(lacking.contains("gcc-98"), "{lacking}");
    }

    #[test]
    fn what_an_archive_lacks_is_named_with_its_part() {
        for (lacking, part, expected) in [
            (
                "linux-headers-7.3.4-cloud-amd64",
                PartName::Kernel,
                "the image without its headers",
            ),
            (
                "linux-image-7.3.4-cloud-amd64",
                PartName::Kernel,
                "failed to find a kernel `7.3`",
            ),
            ("gcc-99", PartName::Compiler, "gcc-99"),
            ("mdadm", PartName::Tools, "mdadm"),
        ] {
            let mut packages = whole();
            packages.retain(|(name, _)| name != lacking);
            let parts = needs(&packages, "7.3");
            let missing: Vec<&NeededPart> =
                parts.iter().filter(|part| part.problem.is_some()).collect();
            let [only] = missing.as_slice() else {
                panic!("{lacking}: {missing:?}")
            };
            assert_eq!(only.part, part, "{lacking}");
            let problem = only.problem.as_deref().unwrap();
            assert!(problem.contains(expected), "{lacking}: {problem}");
        }
    }
}
