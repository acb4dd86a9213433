//! The compiler that a kernel's headers ask for: the machine's own, or one unpacked from packages.
//!
//! An unpacked compiler may need a newer C library than this machine's, and so may the tools beside
//! the headers. Each such program becomes a script that starts it with the loader and the libraries
//! of the packages, so nothing is installed and no root is needed.

use std::ffi::OsString;
use std::fs::File;
use std::io::Read;
use std::os::unix::fs::{FileExt, PermissionsExt};
use std::path::{Path, PathBuf};

use stripewise_process::Call;

use crate::apt::{Apt, Package};
use crate::error::LabError;
use crate::kernel_source::KernelSource;
use crate::programs::{GCC, run, version_of};
use crate::tree::{LIBRARIES, LOADER, Tree, unpack};

/// Name prefixes of packages that a compiler of the kernel depends on and does not need: run-time
/// libraries of checked and parallel programs, and a profiler.
const LEFT_OUT: [&str; 10] = [
    "libasan",
    "libgomp",
    "libgprofng",
    "libhwasan",
    "libitm",
    "liblsan",
    "libquadmath",
    "libtsan",
    "libubsan",
    "linux-",
];

/// The library of the tools beside a kernel's headers that a compiler does not need; of several
/// packages the first that there is.
const ELF_LIBRARIES: [&str; 2] = ["libelf1t64", "libelf1"];

/// The directory beside a script that has the program that it starts.
const PROGRAMS: &str = ".programs";

/// The places of programs in an unpacked compiler.
const PLACES: [&str; 3] = ["usr/bin", "usr/lib/gcc", "usr/libexec"];

/// The largest makefile or configuration of headers that we read.
const TEXT_BYTES_MAX: u64 = 1 << 20;

/// A compiler that can be called.
#[derive(Debug)]
pub(crate) struct Compiler {
    /// Its path, or the name of the machine's own.
    pub(crate) program: String,
    /// The first line that it prints about its version.
    pub(crate) version: String,
    /// The directory of the programs that were unpacked with it.
    directory: Option<PathBuf>,
}

impl Compiler {
    /// Returns the machine's compiler with this name, or [`GCC`] without one; `None` if it is not
    /// installed.
    pub(crate) fn of_machine(name: Option<&str>) -> Option<Self> {
        let name = name.unwrap_or(GCC.name);
        let path = stripewise_process::find(name)?;
        Some(Self::at(name.to_owned(), &path, None))
    }

    fn at(program: String, path: &Path, directory: Option<PathBuf>) -> Self {
        let version = version_of(Call::new(path).arg("--version"));
        Self {
            version: version.unwrap_or_else(|| program.clone()),
            program,
            directory,
        }
    }

    /// Unpacks `packages` into the new directory `root`, and wraps its programs and those below
    /// `tools` where they lie, which then use its libraries.
    ///
    /// # Errors
    /// If they cannot be unpacked, or have no compiler `name`.
    pub(crate) fn unpack(
        name: &str,
        packages: &[Package],
        root: &Path,
        tools: &Path,
    ) -> Result<Self, LabError> {
        let tree = Tree::create(root)?;
        for package in packages {
            unpack(&package.path, root, &[])?;
        }
        let loader = Loader::of(&tree)?;
        for place in PLACES.map(|place| root.join(place)) {
            loader.wrap_below(&place)?;
        }
        // An older loader is no newer than this machine's, with which the tools then run.
        if loader.has_argv0 {
            loader.wrap_below(tools)?;
        }
        let directory = root.join("usr/bin");
        let program = directory.join(format!("x86_64-linux-gnu-{name}"));
        match program.exists() {
            true => Ok(Self::at(
                program.display().to_string(),
                &program,
                Some(directory),
            )),
            false => Err(LabError::Package {
                package: name.to_owned(),
                problem: format!("it has no program `x86_64-linux-gnu-{name}`"),
            }),
        }
    }

    /// Returns the variables of a build: `PATH`, with the compiler's own assembler and linker
    /// first.
    pub(crate) fn variables(&self) -> Option<(&'static str, OsString)> {
        let directory = self.directory.as_ref()?;
        let mut path = directory.clone().into_os_string();
        if let Some(others) = std::env::var_os("PATH") {
            path.push(":");
            path.push(others);
        }
        Some(("PATH", path))
    }
}

/// Downloads the packages of the compiler `name`, such as `gcc-14`.
///
/// # Errors
/// If apt does not offer them.
pub(crate) fn download(apt: &Apt, name: &str, downloads: &Path) -> Result<Vec<Package>, LabError> {
    apt.download(&packages(apt, name)?, downloads)
}

/// Returns the packages of the compiler `name`, and of the library that the tools beside headers need.
///
/// # Errors
/// If apt does not offer them.
pub(crate) fn packages(apt: &Apt, name: &str) -> Result<Vec<String>, LabError> {
    let offered = apt.names("libelf1")?;
    let elf = ELF_LIBRARIES
        .iter()
        .copied()
        .find(|library| offered.iter().any(|name| name == library));
    let wanted: Vec<&str> = [name].into_iter().chain(elf).collect();
    let mut names = apt.closure(&wanted)?;
    names.retain(|name| !LEFT_OUT.iter().any(|prefix| name.starts_with(prefix)));
    Ok(names)
}

/// Checks that the compiler `name`, with which the headers of the kernel `release` are compiled, is there
/// or can be downloaded.
///
/// # Errors
/// [`LabError::NoCompiler`].
pub(crate) fn require(
    apt: &Apt,
    name: &str,
    source: &KernelSource,
    release: &str,
) -> Result<(), LabError> {
    let look_up = || apt.offered(&packages(apt, name)?);
    match choose(name, source, look_up) {
        Ok(_) => Ok(()),
        Err(error) => Err(no_compiler(error, name, release)),
    }
}

/// Returns the error that no source of packages has the compiler `name`.
pub(crate) fn no_compiler(error: LabError, name: &str, release: &str) -> LabError {
    match error {
        source @ LabError::Failed { .. } => LabError::NoCompiler {
            release: release.to_owned(),
            compiler: name.to_owned(),
            source: Box::new(source),
        },
        error => error,
    }
}

/// Where a compiler comes from.
pub(crate) enum Origin<T> {
    /// From this machine.
    Machine(Compiler),
    /// From packages.
    Packages(T),
}

/// Chooses where the compiler `name` comes from: from the packages of a source that the user names, else
/// from this machine, else from the packages of its own sources. `packages` downloads them, or only looks
/// them up.
///
/// # Errors
/// Those of `packages`. If apt fails, the machine's own compiler will do.
pub(crate) fn choose<T>(
    name: &str,
    source: &KernelSource,
    packages: impl FnOnce() -> Result<T, LabError>,
) -> Result<Origin<T>, LabError> {
    let own = match Compiler::of_machine(Some(name)) {
        Some(own) if !source.has_sources() => return Ok(Origin::Machine(own)),
        other => other,
    };
    match (packages(), own) {
        (Ok(packages), _) => Ok(Origin::Packages(packages)),
        (Err(LabError::Failed { .. }), Some(own)) => Ok(Origin::Machine(own)),
        (Err(error), _) => Err(error),
    }
}

/// Returns the compiler that a package of headers depends on: `gcc-14` for `gcc-14-for-host` or
/// `linux-compiler-gcc-14-x86`.
pub(crate) fn named_by(dependencies: &[String]) -> Option<String> {
    dependencies.iter().find_map(|name| {
        let number = name.split_once("gcc-")?.1.split('-').next()?;
        number
            .parse::<u32>()
            .is_ok()
            .then(|| format!("gcc-{number}"))
    })
}

/// Returns the compiler that the headers in `configured` ask for, such as `gcc-12`: the one that
/// their makefiles name, else that of their configuration.
///
/// # Errors
/// If a file cannot be read.
pub(crate) fn asked_by(configured: &Path) -> Result<Option<String>, LabError> {
    for name in ["Makefile", ".kernelvariables"] {
        let text = text_of(&configured.join(name))?;
        if let Some(name) = text.as_deref().and_then(named_in) {
            return Ok(Some(name));
        }
    }
    let configuration = text_of(&configured.join("include/config/auto.conf"))?;
    Ok(configuration.as_deref().and_then(configured_in))
}

/// Returns the beginning of a text file; `None` if there is none.
fn text_of(path: &Path) -> Result<Option<String>, LabError> {
    let file = match File::open(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        file => file.map_err(LabError::file("read", path))?,
    };
    let mut text = Vec::new();
    file.take(TEXT_BYTES_MAX)
        .read_to_end(&mut text)
        .map_err(LabError::file("read", path))?;
    Ok(Some(String::from_utf8_lossy(&text).into_owned()))
}

/// Returns the compiler that a kernel's makefile names.
fn named_in(makefile: &str) -> Option<String> {
    makefile
        .split(|c: char| !c.is_ascii_alphanumeric() && c != '-')
        .find(|word| {
            word.strip_prefix("gcc-")
                .is_some_and(|number| number.parse::<u32>().is_ok())
        })
        .map(str::to_owned)
}

/// Returns the compiler of a kernel's configuration: `CONFIG_GCC_VERSION=140200` is `gcc-14`.
pub(crate) fn configured_in(configuration: &str) -> Option<String> {
    let mut lines = configuration.lines();
    let version = lines.find_map(|line| line.strip_prefix("CONFIG_GCC_VERSION="))?;
    let number: u32 = version.trim().parse().ok()?;
    (number > 0).then(|| format!("gcc-{}", number / 10_000))
}

/// The loader and the libraries of a tree, with which its programs run on this machine.
struct Loader {
    loader: PathBuf,
    libraries: PathBuf,
    /// Whether it can pass on the name by which a program was called, as those since glibc 2.33.
    has_argv0: bool,
}

impl Loader {
    fn of(tree: &Tree) -> Result<Self, LabError> {
        let loader = tree.path(LOADER);
        let help = run(
            Call::new(&loader).arg("--help"),
            "start the loader of the compiler's C library",
        );
        // Older loaders have no `--help`, and end with an error.
        let has_argv0 = help.is_ok_and(|text| String::from_utf8_lossy(&text).contains("--argv0"));
        Ok(Self {
            has_argv0,
            libraries: tree.path(LIBRARIES),
            loader,
        })
    }

    /// Replaces each program below `directory` by a script that starts it with this loader.
    fn wrap_below(&self, directory: &Path) -> Result<(), LabError> {
        for path in programs_below(directory)? {
            self.wrap(&path).map_err(LabError::file("replace", &path))?;
        }
        Ok(())
    }

    fn wrap(&self, path: &Path) -> std::io::Result<()> {
        let (Some(directory), Some(name)) = (path.parent(), path.file_name()) else {
            return Ok(());
        };
        let place = directory.join(PROGRAMS);
        std::fs::create_dir_all(&place)?;
        let program = place.join(name);
        std::fs::rename(path, &program)?;
        // The paths have no character that a shell would read otherwise: `prepare` refuses those.
        let argv0 = match self.has_argv0 {
            true => "--argv0 \"$0\" ",
            false => "",
        };
        let script = format!(
            "#!/bin/sh\nexec {} --library-path {} {argv0}{} \"$@\"\n",
            self.loader.display(),
            self.libraries.display(),
            program.display(),
        );
        std::fs::write(path, script)?;
        std::fs::set_permissions(path, PermissionsExt::from_mode(0o755))
    }
}

/// Returns the programs below a directory that need a loader; a directory that does not exist has
/// none.
fn programs_below(directory: &Path) -> Result<Vec<PathBuf>, LabError> {
    let mut found = Vec::new();
    let mut pending = vec![directory.to_owned()];
    while let Some(directory) = pending.pop() {
        let entries = match std::fs::read_dir(&directory) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => continue,
            entries => entries.map_err(LabError::file("read", &directory))?,
        };
        for path in entries.flatten().map(|entry| entry.path()) {
            let Ok(file) = path.symlink_metadata() else {
                continue;
            };
            let is_program = file.is_file() && file.permissions().mode() & 0o111 != 0;
            if file.is_dir() {
                pending.push(path);
            } else if is_program && needs_loader(&path).map_err(LabError::file("read", &path))? {
                found.push(path);
            }
        }
    }
    Ok(found)
}

/// Returns whether a file is an ELF program for x86-64 that names a loader (`PT_INTERP`, elf(5)).
/// A C library is one, too, but is no program of a compiler.
fn needs_loader(path: &Path) -> std::io::Result<bool> {
    const HEADER_BYTES: usize = 64;
    const PROGRAM_HEADER_BYTES: u64 = 56;
    const PROGRAM_HEADERS_MAX: u16 = 64;
    const PT_INTERP: [u8; 4] = [3, 0, 0, 0];
    let file = File::open(path)?;
    let mut header = [0; HEADER_BYTES];
    if file.read_exact_at(&mut header, 0).is_err() || !header.starts_with(b"\x7fELF\x02\x01") {
        return Ok(false);
    }
    let [.., a, b, c, d, e, f, g, h] = header[32..40] else {
        return Ok(false);
    };
    let table = u64::from_le_bytes([a, b, c, d, e, f, g, h]);
    let count = u16::from_le_bytes([header[56], header[57]]).min(PROGRAM_HEADERS_MAX);
    for index in 0..u64::from(count) {
        let mut kind = [0; 4];
        let at = table.saturating_add(index.saturating_mul(PROGRAM_HEADER_BYTES));
        if file.read_exact_at(&mut kind, at).is_err() {
            return Ok(false);
        }
        if kind == PT_INTERP {
            return Ok(true);
        }
    }
    Ok(false)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::programs::TAR;

    #[test]
    fn the_compiler_is_read_from_the_kernels_makefiles_or_configuration() {
        let text = "CC = $(if $(X),$(CCACHE)) $(CROSS_COMPILE)gcc-12\n";
        assert_eq!(named_in(text).as_deref(), Some("gcc-12"));
        assert_eq!(named_in("CC = gcc-x gcc"), None);
        let text = "CONFIG_CC_IS_GCC=y\nCONFIG_GCC_VERSION=140200\n";
        assert_eq!(configured_in(text).as_deref(), Some("gcc-14"));
        // Built by clang.
        assert_eq!(configured_in("CONFIG_GCC_VERSION=0\n"), None);
        assert_eq!(configured_in("CONFIG_X=y\n"), None);
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(asked_by(folder.path()).unwrap(), None);
        std::fs::write(folder.path().join("Makefile"), "include x\n").unwrap();
        let configuration = folder.path().join("include/config");
        std::fs::create_dir_all(&configuration).unwrap();
        std::fs::write(configuration.join("auto.conf"), text).unwrap();
        assert_eq!(asked_by(folder.path()).unwrap().as_deref(), Some("gcc-14"));
    }

    #[test]
    fn headers_name_their_compiler_among_their_dependencies() {
        let named = |names: &[&str]| {
            let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
            named_by(&names)
        };
        for name in ["gcc-14", "gcc-14-for-host", "linux-compiler-gcc-14-x86"] {
            assert_eq!(named(&["linux-base", name]).as_deref(), Some("gcc-14"));
        }
        assert_eq!(named(&["linux-kbuild-6.1", "gcc-x", "clang-19"]), None);
    }

    #[test]
    fn programs_are_wrapped_and_other_files_are_not() {
        let folder = tempfile::tempdir().unwrap();
        let tar = TAR.find().unwrap();
        let program = folder.path().join("tar");
        std::fs::copy(&tar, &program).unwrap();
        let script = folder.path().join("script");
        std::fs::write(&script, "#!/bin/sh\n").unwrap();
        std::fs::set_permissions(&script, PermissionsExt::from_mode(0o755)).unwrap();
        std::fs::write(folder.path().join("short"), "\x7fELF").unwrap();
        assert_eq!(
            programs_below(folder.path()).unwrap(),
            std::slice::from_ref(&program)
        );
        assert_eq!(
            programs_below(&folder.path().join("none")).unwrap(),
            Vec::<PathBuf>::new()
        );
        // This machine's loader, without its standard paths: the script passes arguments on.
        let loader = Loader {
            loader: PathBuf::from("/lib64/ld-linux-x86-64.so.2"),
            libraries: PathBuf::from("/usr/lib/x86_64-linux-gnu"),
            has_argv0: true,
        };
        loader.wrap_below(folder.path()).unwrap();
        let text = std::fs::read(&program).unwrap();
        assert!(text.starts_with(b"#!/bin/sh\nexec /lib64/ld-linux"));
        let printed = run(Call::new(&program).args(["--version"]), "try").unwrap();
        assert!(printed.starts_with(b"tar (GNU tar)"));
        assert!(folder.path().join(PROGRAMS).join("tar").exists());
    }
}
