//! The distribution's packages: apt finds, downloads and checks them, but never installs them.
//!
//! We give apt an empty status file, so it names everything a program needs. Downloads go to our
//! cache, and no step needs root. apt checks its downloads against the signed lists of the
//! distribution.

use std::path::{Path, PathBuf};

use stripewise_process::{Call, Program};

use crate::error::LabError;
use crate::manifest::{Checksum, PackageRecord, checksum};
use crate::programs::{APT_CACHE, APT_GET, run};

/// The files in which apt keeps its parsed lists.
const PARSED_LISTS: [&str; 2] = ["pkgcache", "srcpkgcache"];

/// apt with its own state directory.
#[derive(Debug)]
pub(crate) struct Apt {
    /// apt's state directory.
    state: PathBuf,
    /// The package sources the user named; `None` for the machine's own.
    sources: Option<PathBuf>,
    /// Whether apt uses our own package lists instead of the machine's.
    own_lists: bool,
    /// The release whose packages are preferred; `None` for the newest versions.
    preferred: Option<String>,
}

/// A repository of the distribution.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Repository {
    /// Its address.
    pub(crate) uri: String,
    /// The release as the package sources name it: `bookworm`.
    pub(crate) release: String,
}

/// A package that can be downloaded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Offer {
    /// Its name.
    pub(crate) name: String,
    /// Its version.
    pub(crate) version: String,
    /// The name of its file.
    file: String,
    /// Its size.
    pub(crate) bytes: u64,
    /// Its SHA-256 in the signed lists, in hexadecimal digits, if apt prints it.
    sha256: Option<String>,
}

/// A downloaded package.
#[derive(Debug)]
pub(crate) struct Package {
    /// Its name, version and checksum.
    pub(crate) record: PackageRecord,
    /// Its file.
    pub(crate) path: PathBuf,
}

impl Apt {
    /// Prepares a state below `state`, for the machine's package sources or the file `sources`.
    pub(crate) fn new(state: &Path, sources: Option<&Path>) -> Result<Self, LabError> {
        for directory in ["lists/partial", "cache/archives/partial"] {
            let directory = state.join(directory);
            std::fs::create_dir_all(&directory).map_err(LabError::file("create", &directory))?;
        }
        let nothing = state.join("status");
        std::fs::write(&nothing, "").map_err(LabError::file("create", &nothing))?;
        let sources = match sources {
            None => None,
            Some(path) => Some(std::path::absolute(path).map_err(LabError::file("read", path))?),
        };
        Ok(Self {
            state: state.to_owned(),
            own_lists: sources.is_some(),
            preferred: None,
            sources,
        })
    }

    /// Prefers packages of `release`, such as backports, to others.
    pub(crate) fn preferring(self, release: &str) -> Self {
        Self {
            preferred: Some(release.to_owned()),
            ..self
        }
    }

    /// Returns the release whose packages are preferred, if one is.
    pub(crate) fn preferred(&self) -> Option<&str> {
        self.preferred.as_deref()
    }

    /// Returns those of `packages` that the preferred release itself has, not only one that it adds to.
    pub(crate) fn of_preferred(&self, packages: &[String]) -> Result<Vec<String>, LabError> {
        let Some(release) = &self.preferred else {
            return Ok(packages.to_vec());
        };
        if packages.is_empty() {
            return Ok(Vec::new());
        }
        let call = self.call(APT_CACHE).arg("madison").args(packages);
        let text = run(call, "find out which suites have which packages")?;
        let of_release = lines(&text).filter_map(|line| of_release(line, release));
        Ok(of_release.map(str::to_owned).collect())
    }

    /// Returns Debian's own releases among the sources, without updates and backports.
    pub(crate) fn repositories(&self) -> Result<Vec<Repository>, LabError> {
        let format = "$(REPO_URI) $(RELEASE) $(COMPONENT) $(ORIGIN) $(CREATED_BY)";
        let call = self
            .call(APT_GET)
            .args(["indextargets", "--format", format]);
        let text = run(call, "list the sources of packages")?;
        let mut found: Vec<Repository> = lines(&text).filter_map(repository).collect();
        found.dedup();
        Ok(found)
    }

    /// Downloads our own package lists: for sources the user named, or if the machine has no lists.
    pub(crate) fn update(&mut self) -> Result<(), LabError> {
        self.own_lists = true;
        // Without it apt exits with 0 although it reached no server.
        let mode = ["-o", "APT::Update::Error-Mode=any"];
        let call = self.call(APT_GET).arg("-qq").args(mode).arg("update");
        run(call, "download the lists of packages").map(|_| ())
    }

    /// Returns whether our own package lists are in use; those are as new as they can be.
    pub(crate) fn is_updated(&self) -> bool {
        self.own_lists
    }

    /// Returns the names of all packages that begin with `prefix`.
    pub(crate) fn names(&self, prefix: &str) -> Result<Vec<String>, LabError> {
        let call = self.call(APT_CACHE).args(["pkgnames", prefix]);
        let text = run(call, "list packages")?;
        Ok(lines(&text).map(str::to_owned).collect())
    }

    /// Returns the names of a package's direct dependencies, of alternatives the first.
    pub(crate) fn dependencies(&self, package: &str) -> Result<Vec<String>, LabError> {
        let call = self.call(APT_CACHE);
        let call = call.args(["show", "--no-all-versions", package]);
        let text = run(call, &format!("look up package `{package}`"))?;
        let depends = lines(&text).find_map(|line| line.strip_prefix("Depends: "));
        Ok(depends.map_or_else(Vec::new, dependency_names))
    }

    /// Returns the names of all packages that `packages` need on an empty machine.
    pub(crate) fn closure(&self, packages: &[&str]) -> Result<Vec<String>, LabError> {
        let call = self.call(APT_GET);
        let call = call.args(["-qq", "-y", "--print-uris", "install"]);
        let needed = match packages {
            [one] | [one, _] => format!("`{one}`"),
            _ => "the guest".to_owned(),
        };
        let attempted = format!("find out which packages {needed} needs");
        let text = run(call.args(packages), &attempted)?;
        offers(&text).map(|offers| offers.into_iter().map(|offer| offer.name).collect())
    }

    /// Returns what the sources offer of `packages`.
    ///
    /// # Errors
    /// If they do not offer one of them.
    pub(crate) fn offered(&self, packages: &[String]) -> Result<Vec<Offer>, LabError> {
        let ask = self.call(APT_GET);
        let ask = ask.args(["-qq", "--print-uris", "download"]);
        let offers = offers(&run(ask.args(packages), "look up packages")?)?;
        let lacks = |name: &&String| !offers.iter().any(|offer| offer.name == **name);
        match packages.iter().find(lacks) {
            None => Ok(offers),
            Some(name) => Err(LabError::Package {
                package: name.clone(),
                problem: "apt offers no file for it".to_owned(),
            }),
        }
    }

    /// Downloads `packages` into `directory`, except those already there and undamaged.
    pub(crate) fn download(
        &self,
        packages: &[String],
        directory: &Path,
    ) -> Result<Vec<Package>, LabError> {
        let offers = self.offered(packages)?;
        let is_missing = |offer: &&Offer| !offer.is_in(directory);
        let missing: Vec<&Offer> = offers.iter().filter(is_missing).collect();
        if !missing.is_empty() {
            for offer in &missing {
                // apt does not overwrite an existing file.
                let _none = std::fs::remove_file(directory.join(&offer.file));
            }
            let call = self.call(APT_GET).current_dir(directory);
            let call = call.args(["-qq", "download"]);
            let call = call.args(missing.iter().map(|offer| &offer.name));
            run(call, &format!("download {} packages", missing.len()))?;
        }
        offers
            .into_iter()
            .map(|offer| {
                let path = directory.join(&offer.file);
                let file = checksum(&path)?;
                offer.check(&file)?;
                let record = PackageRecord {
                    name: offer.name,
                    version: offer.version,
                    file,
                };
                Ok(Package { record, path })
            })
            .collect()
    }

    /// Returns a call of apt with our state, run in the state directory: `apt-get download` prints
    /// nothing about a package that is already in the working directory.
    fn call(&self, program: Program) -> Call {
        let option = |call: Call, name: &str, value: &Path| {
            let mut text = std::ffi::OsString::from(format!("{name}="));
            text.push(value);
            call.arg("-o").arg(text)
        };
        // We install nothing and write only to our cache, so we need no lock against other apts.
        let call = program.call(["-o", "Debug::NoLocking=1"]);
        let mut call = call
            .args(["-o", "APT::Install-Recommends=false"])
            .current_dir(&self.state);
        call = option(call, "Dir::State::status", &self.state.join("status"));
        call = option(call, "Dir::Cache", &self.state.join("cache"));
        // Container images turn these files off; without them, each call parses all lists again.
        for file in PARSED_LISTS {
            call = option(
                call,
                &format!("Dir::Cache::{file}"),
                &self.state.join(format!("cache/{file}.bin")),
            );
        }
        if self.own_lists {
            call = option(call, "Dir::State::lists", &self.state.join("lists"));
        }
        if let Some(sources) = &self.sources {
            call = option(call, "Dir::Etc::sourcelist", sources);
            call = option(call, "Dir::Etc::sourceparts", Path::new("/dev/null"));
        }
        if let Some(release) = &self.preferred {
            call = call
                .arg("-o")
                .arg(format!("APT::Default-Release={release}"));
        }
        if rustix::process::geteuid().is_root() {
            call = call.args(["-o", "APT::Sandbox::User=root"]);
        }
        call
    }
}

impl Offer {
    /// Returns whether its file is in `directory`, undamaged. Cost: reads it once.
    pub(crate) fn is_in(&self, directory: &Path) -> bool {
        checksum(&directory.join(&self.file)).is_ok_and(|file| self.check(&file).is_ok())
    }

    fn check(&self, found: &Checksum) -> Result<(), LabError> {
        let is_same = |sha256: &String| *sha256 == found.sha256;
        let problem = match found.bytes == self.bytes {
            true if self.sha256.as_ref().is_none_or(is_same) => return Ok(()),
            true => "its file is damaged".to_owned(),
            false => format!("its file has {} of {} bytes", found.bytes, self.bytes),
        };
        Err(LabError::Package {
            package: self.name.clone(),
            problem,
        })
    }
}

fn lines(text: &[u8]) -> impl Iterator<Item = &str> {
    text.split(|byte| *byte == b'\n')
        .filter_map(|line| std::str::from_utf8(line).ok())
        .map(str::trim)
        .filter(|line| !line.is_empty())
}

/// Reads a line of [`Apt::repositories`]; `None` for all but a whole release of Debian.
fn repository(line: &str) -> Option<Repository> {
    let words: Vec<&str> = line.split_ascii_whitespace().collect();
    let [uri, release, "main", "Debian", "Packages"] = words.as_slice() else {
        return None;
    };
    // `bookworm-updates`, `bookworm-security`
    let is_whole = release.chars().all(|c| c.is_ascii_alphanumeric());
    is_whole.then(|| Repository {
        uri: (*uri).to_owned(),
        release: (*release).to_owned(),
    })
}

/// Reads the package in a line of `apt-cache madison`, `PACKAGE | VERSION | URI RELEASE/COMPONENT ...`;
/// `None` for a line of another release.
fn of_release<'a>(line: &'a str, release: &str) -> Option<&'a str> {
    let mut parts = line.split('|').map(str::trim);
    let (package, _version, source) = (parts.next()?, parts.next()?, parts.next()?);
    let suite = source.split_ascii_whitespace().nth(1)?;
    let found = suite
        .rsplit_once('/')
        .map_or(suite, |(suite, _component)| suite);
    (found == release).then_some(package)
}

/// Reads what `apt-get --print-uris` prints: `'URI' FILE BYTES HASH`, one per line.
fn offers(text: &[u8]) -> Result<Vec<Offer>, LabError> {
    lines(text)
        .filter(|line| line.starts_with('\''))
        .map(|line| {
            offer(line).ok_or_else(|| LabError::Package {
                package: line.chars().take(120).collect(),
                problem: "cannot parse apt's output about it".to_owned(),
            })
        })
        .collect()
}

fn offer(line: &str) -> Option<Offer> {
    let mut words = line.rsplit_once('\'')?.1.split_ascii_whitespace();
    let (file, bytes) = (words.next()?, words.next()?);
    let mut parts = file.strip_suffix(".deb")?.split('_');
    let (name, version) = (parts.next()?, parts.next()?);
    let is_safe = |c: char| c.is_ascii_alphanumeric() || "+-.~%:_".contains(c);
    let is_file_name = file.chars().all(is_safe) && !file.starts_with(['.', '-']);
    is_file_name.then_some(Offer {
        name: name.to_owned(),
        version: version.replace("%3a", ":"),
        file: file.to_owned(),
        bytes: bytes.parse().ok()?,
        sha256: words
            .next()
            .and_then(|hash| hash.strip_prefix("SHA256:"))
            .map(str::to_owned),
    })
}

/// Reads the names in a `Depends:` field; of alternatives the first.
pub(crate) fn dependency_names(field: &str) -> Vec<String> {
    field
        .split(',')
        .filter_map(|dependency| {
            let name = dependency.split(['|', '(', ':']).next()?.trim();
            (!name.is_empty()).then(|| name.to_owned())
        })
        .collect()
}

#[cfg(test)]
#[path = "apt_tests.rs"]
mod tests;
