//! The cache of prepared guests, and the lock that protects it.
//!
//! ```text
//! CACHE/CACHEDIR.TAG              marks the directory as a cache of the lab
//!       lock                      held while a guest is prepared
//!       lock-runs                 held while a disk image or a saved boot is made: runs do not wait
//!                                 for guests that are being prepared
//!       downloads/*.deb           packages as they were downloaded
//!       apt/KEY/                  apt's own state, by package sources
//!       guests/NAME/              vmlinuz, initramfs, root.img, manifest.json
//!       modules/SHA256.tar        modules of ZFS, by kernel, source and compiler
//!       agents/SHA256.img         this program with its libraries, as a disk image
//!       states/SHA256.state       guests that have booted; 300 MB each, at most four are kept
//!       pace.json                 how long samples took on this machine
//!       work-*/, */work-*/        unfinished; the next holder of the lock removes them
//! ```

use std::ffi::OsString;
use std::fs::{File, TryLockError};
use std::io::Write;
use std::path::{Path, PathBuf};

use rustix::fs::{Mode, OFlags};
use stripewise_process::is_stop_asked;
use stripewise_units::visible::shell_word;

use crate::error::LabError;
use crate::extra::options;
use crate::file_store::FileStore;
pub(crate) use crate::file_store::WORK_PREFIX;
use crate::kernel;
use crate::kernel_source::Origin;
use crate::machine::WATCH_INTERVAL;
use crate::manifest::Manifest;
use crate::prepare::KERNEL_FILE;
use crate::removal;

/// The environment variable that names the cache if no option does.
pub const CACHE_VARIABLE: &str = "STRIPEWISE_LAB_CACHE";

/// The tag file of the Cache Directory Tagging Specification (2004), which makes backups skip the
/// directory. The second line marks it as ours.
const TAG_FILE: &str = "CACHEDIR.TAG";
const TAG: &str = "Signature: 8a477f597d28d172789f06886806bc55
# Guests of `stripewise lab`; all of it can be made again with `stripewise lab prepare`.
";

/// A part of the cache with a lock of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    /// What guests are made from and of.
    Guests,
    /// What runs make: disk images and saved boots.
    Runs,
}

impl Part {
    const ALL: [Self; 2] = [Part::Guests, Part::Runs];

    const fn lock_file(self) -> &'static str {
        match self {
            Part::Guests => "lock",
            Part::Runs => "lock-runs",
        }
    }
}

/// A directory with prepared guests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cache {
    root: PathBuf,
}

/// A guest that can be started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prepared {
    /// Its directory.
    pub directory: PathBuf,
    /// The packages and files it was built from.
    pub manifest: Manifest,
}

impl Prepared {
    /// Returns its name, which `--kernel` takes: its release, if it comes from the machine's own package
    /// sources.
    pub fn name(&self) -> String {
        let name = self.directory.file_name().unwrap_or_default();
        name.to_string_lossy().into_owned()
    }

    /// Returns whether it has the kernel that `asked` selects: a version, the beginning of a release, or
    /// such a one behind which an `@` and what the guest is made from stand, `7.3.4@sid`.
    pub(crate) fn is_selected(&self, asked: &str) -> bool {
        match asked.split_once('@') {
            None => self.manifest.has_kernel(asked),
            Some((kernel, origin)) => {
                let name = self.name();
                let own = name.split_once('@').map(|(_, origin)| origin);
                own == Some(origin) && self.manifest.has_kernel(kernel)
            }
        }
    }

    /// Checks the checksums of its files. Cost: reads them once, 130 MB.
    ///
    /// # Errors
    /// [`LabError::Damaged`] with the first file that differs.
    pub(crate) fn verify(&self) -> Result<(), LabError> {
        match self.manifest.damaged_file(&self.directory) {
            None => Ok(()),
            Some(path) => Err(LabError::Damaged {
                path,
                prepare_command: self.prepare_command(),
            }),
        }
    }

    /// Returns the command that prepares it again.
    pub(crate) fn prepare_command(&self) -> String {
        let manifest = &self.manifest;
        let kernel = (!manifest.is_default).then_some(manifest.kernel.as_str());
        let cache = self.directory.ancestors().nth(2).unwrap_or(Path::new(""));
        prepare_command(kernel, cache)
            + &manifest.made_from().options()
            + &options(&manifest.extras)
    }
}

/// The lock of a part of the cache, held while its content changes.
#[derive(Debug)]
pub(crate) struct Lock {
    part: Part,
    _file: File,
}

/// Returns the command that prepares a guest in the cache at `path`: with `--cache`, unless the
/// command would use that cache anyway.
pub(crate) fn prepare_command(kernel: Option<&str>, path: &Path) -> String {
    let kernel = kernel.map_or(String::new(), |kernel| format!(" --kernel {kernel}"));
    let is_usual = Cache::locate(None).is_ok_and(|usual| usual.path() == path);
    let cache = match is_usual {
        true => String::new(),
        false => format!(" --cache {}", shell_word(&path.display().to_string())),
    };
    format!("stripewise lab prepare{kernel}{cache}")
}

fn variable(name: &str) -> Option<OsString> {
    std::env::var_os(name).filter(|value| !value.is_empty())
}

/// Returns the directory of the user's caches: `XDG_CACHE_HOME` if it is absolute, else `.cache` in
/// `HOME`; `None` if neither is set.
pub fn user_cache() -> Option<PathBuf> {
    variable("XDG_CACHE_HOME")
        .map(PathBuf::from)
        .filter(|path| path.is_absolute())
        .or_else(|| Some(PathBuf::from(variable("HOME")?).join(".cache")))
}

impl Cache {
    /// Returns the cache in `directory`, which need not exist.
    pub fn at(directory: &Path) -> Result<Self, LabError> {
        let root = std::path::absolute(directory).map_err(LabError::file("find", directory))?;
        Ok(Self { root })
    }

    /// Returns the cache: `named`, else that of [`CACHE_VARIABLE`], else the user's.
    ///
    /// # Errors
    /// If neither `XDG_CACHE_HOME` nor `HOME` is set.
    pub fn locate(named: Option<&Path>) -> Result<Self, LabError> {
        let user = || Some(user_cache()?.join("stripewise/lab"));
        let found = named
            .map(Path::to_owned)
            .or_else(|| variable(CACHE_VARIABLE).map(PathBuf::from))
            .or_else(user);
        match found {
            Some(path) => Self::at(&path),
            None => Err(LabError::Cache {
                path: PathBuf::from("~/.cache/stripewise/lab"),
                problem: "neither HOME nor XDG_CACHE_HOME is set".to_owned(),
            }),
        }
    }

    /// Returns its directory.
    pub fn path(&self) -> &Path {
        &self.root
    }

    /// Returns the complete guests, the newest kernel first.
    pub fn guests(&self) -> Vec<Prepared> {
        let mut guests: Vec<Prepared> = self
            .guest_directories()
            .filter_map(|directory| {
                let manifest = Manifest::read(&directory)?;
                if !manifest.is_complete(&directory) {
                    return None;
                }
                Some(Prepared {
                    directory,
                    manifest,
                })
            })
            .collect();
        guests.sort_by(|left, right| {
            kernel::compare(&right.manifest.kernel, &left.manifest.kernel)
                .then_with(|| left.name().cmp(&right.name()))
        });
        guests
    }

    /// Returns the directories of all guests, complete or not.
    pub(crate) fn guest_directories(&self) -> impl Iterator<Item = PathBuf> {
        let entries = std::fs::read_dir(self.guests_path()).into_iter().flatten();
        entries.flatten().map(|entry| entry.path())
    }

    /// Returns the guest that `asked` names, of any version of the program: by all of its name, or by the
    /// beginning of the release and what it is made from, `7.3.4@sid`; `None` if that names none.
    pub(crate) fn named(&self, asked: &str) -> Option<Prepared> {
        let guests = self.guests();
        let by_name = guests.iter().find(|guest| guest.name() == asked);
        let is_it = |guest: &&Prepared| asked.contains('@') && guest.is_selected(asked);
        by_name.or_else(|| guests.iter().find(is_it)).cloned()
    }

    /// Returns the guest to use: the one with the name `asked`, else the newest with that kernel; if no
    /// kernel is asked for, the distribution's own, else the newest. Guests built with another recipe are
    /// ignored.
    ///
    /// # Errors
    /// [`LabError::NotPrepared`] if there is none, [`LabError::Ambiguous`] if several have that release.
    pub fn find(&self, asked: Option<&str>, recipe_sha256: &str) -> Result<Prepared, LabError> {
        let mut guests = self.guests();
        guests.retain(|guest| guest.manifest.recipe_sha256 == recipe_sha256);
        let named = guests.iter().find(|guest| asked == Some(&guest.name()));
        let fitting = |is_it: &dyn Fn(&Prepared) -> bool| -> Vec<&Prepared> {
            guests.iter().filter(|guest| is_it(guest)).collect()
        };
        let found = match (named, asked) {
            (Some(named), _) => return Ok(named.clone()),
            (None, Some(asked)) => fitting(&|guest| guest.is_selected(asked)),
            (None, None) => {
                let is_default = |guest: &Prepared| guest.manifest.is_default;
                let own = fitting(&|guest| is_default(guest) && guest.manifest.tools.is_none());
                let default = fitting(&is_default);
                let all = fitting(&|_| true);
                let mut ranks = [own, default, all].into_iter();
                ranks.find(|rank| !rank.is_empty()).unwrap_or_default()
            }
        };
        let Some(newest) = found.first() else {
            let asked = asked.map(str::to_owned).into_iter().collect();
            return Err(self.not_prepared(asked, recipe_sha256));
        };
        let same = |guest: &&&Prepared| guest.manifest.kernel == newest.manifest.kernel;
        let names: Vec<String> = found
            .iter()
            .filter(same)
            .map(|guest| guest.name())
            .collect();
        match names.len() {
            1 => Ok((*newest).clone()),
            _ => Err(LabError::Ambiguous {
                release: newest.manifest.kernel.clone(),
                guests: names,
            }),
        }
    }

    /// Returns the error that no guest has the kernels `asked`, with those that are prepared, and the
    /// commands that prepare those: again as before, if another version of the program made them.
    pub fn not_prepared(&self, asked: Vec<String>, recipe_sha256: &str) -> LabError {
        let (usable, outdated): (Vec<Prepared>, Vec<Prepared>) = (self.guests().into_iter())
            .partition(|guest| guest.manifest.recipe_sha256 == recipe_sha256);
        let again = |kernel: Option<&str>| {
            let is_it = |guest: &&Prepared| match kernel {
                Some(kernel) => guest.name() == kernel || guest.is_selected(kernel),
                None => guest.manifest.is_default,
            };
            outdated.iter().find(is_it).map(Prepared::prepare_command)
        };
        let kernels: Vec<Option<&str>> = match asked.as_slice() {
            [] => vec![None],
            some => some.iter().map(|kernel| Some(kernel.as_str())).collect(),
        };
        let command = |kernel: &Option<&str>| {
            let named = kernel.map(|kernel| kernel.split_once('@').unwrap_or((kernel, "")));
            again(*kernel).unwrap_or_else(|| match named {
                Some((kernel, origin)) if !origin.is_empty() => {
                    prepare_command(Some(kernel), &self.root) + &Origin::read(origin).options()
                }
                _ => prepare_command(*kernel, &self.root),
            })
        };
        LabError::NotPrepared {
            commands: kernels.iter().map(command).collect(),
            is_outdated: kernels.iter().any(|kernel| again(*kernel).is_some()),
            asked,
            prepared: usable.iter().map(Prepared::name).collect(),
        }
    }

    /// Locks a part of the cache; calls `waits` before it waits for another holder. An empty directory
    /// becomes a cache.
    ///
    /// # Errors
    /// If the directory holds other files: [`Cache::tidy`] could delete them. If this process is asked
    /// to stop.
    pub(crate) fn lock(&self, part: Part, waits: &mut dyn FnMut()) -> Result<Lock, LabError> {
        let mut is_waiting = false;
        loop {
            if let Some(lock) = self.try_lock(part)? {
                return Ok(lock);
            }
            if is_stop_asked() {
                return Err(LabError::Interrupted);
            }
            if !std::mem::replace(&mut is_waiting, true) {
                waits();
            }
            std::thread::sleep(WATCH_INTERVAL);
        }
    }

    /// Locks as [`Cache::lock`] does, but returns `None` instead of waiting.
    pub(crate) fn try_lock(&self, part: Part) -> Result<Option<Lock>, LabError> {
        let file = self.lock_file(part)?;
        let locked = match file.try_lock() {
            Err(TryLockError::WouldBlock) => return Ok(None),
            Err(TryLockError::Error(error)) => Err(error),
            Ok(()) => Ok(()),
        };
        self.locked(file, part, locked).map(Some)
    }

    fn lock_file(&self, part: Part) -> Result<File, LabError> {
        std::fs::create_dir_all(&self.root).map_err(LabError::file("create", &self.root))?;
        if !self.is_ours() && !self.is_empty()? {
            return Err(LabError::Cache {
                path: self.root.clone(),
                problem: "the directory is not empty and has no `CACHEDIR.TAG` of the lab"
                    .to_owned(),
            });
        }
        let path = self.root.join(part.lock_file());
        // Opened without truncation and without following links: the path may be a foreign file.
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let file = rustix::fs::open(&path, flags, Mode::from_raw_mode(0o666));
        file.map(File::from)
            .map_err(|error| LabError::file("create", &path)(error.into()))
    }

    fn locked(
        &self,
        file: File,
        part: Part,
        locked: std::io::Result<()>,
    ) -> Result<Lock, LabError> {
        locked.map_err(LabError::file("lock", &self.root.join(part.lock_file())))?;
        if !self.is_ours() {
            self.tag()?;
        }
        Ok(Lock { part, _file: file })
    }

    /// Returns whether the directory is a cache of the lab.
    fn is_ours(&self) -> bool {
        std::fs::read_to_string(self.root.join(TAG_FILE)).is_ok_and(|text| text == TAG)
    }

    /// Returns whether the directory holds nothing but locks and a tag being written.
    fn is_empty(&self) -> Result<bool, LabError> {
        let unreadable = || LabError::file("read", &self.root);
        for entry in std::fs::read_dir(&self.root).map_err(unreadable())? {
            let name = entry.map_err(unreadable())?.file_name();
            let name = name.to_string_lossy();
            let is_lock = Part::ALL.iter().any(|part| name == part.lock_file());
            if !is_lock && !name.starts_with(TAG_FILE) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Writes the tag atomically.
    fn tag(&self) -> Result<(), LabError> {
        let path = self.root.join(TAG_FILE);
        let made = tempfile::Builder::new()
            .prefix(TAG_FILE)
            .tempfile_in(&self.root)
            .and_then(|mut file| {
                file.write_all(TAG.as_bytes())?;
                file.persist(&path).map_err(|error| error.error)
            });
        made.map(drop).map_err(LabError::file("write", &path))
    }

    /// Removes unfinished work of killed processes and returns its paths. Work of a running process
    /// is kept, because that process holds the lock.
    pub fn tidy(&self) -> Vec<PathBuf> {
        if !self.is_ours() {
            return Vec::new();
        }
        let mut removed = Vec::new();
        for part in Part::ALL {
            let lock = File::open(self.root.join(part.lock_file()));
            // Else another process holds the lock, or the part was never locked.
            if let Ok(file) = lock
                && file.try_lock().is_ok()
            {
                removed.extend(self.remove_half_made(&Lock { part, _file: file }));
            }
        }
        removed
    }

    /// Removes the leftovers of interrupted preparations and returns their paths. The lock proves
    /// that none is running.
    pub(crate) fn remove_half_made(&self, lock: &Lock) -> Vec<PathBuf> {
        let directories = match lock.part {
            Part::Guests => [self.root.clone(), self.modules().into_directory()],
            Part::Runs => [self.agents(), self.states()].map(FileStore::into_directory),
        };
        let directories = directories.into_iter();
        let entries = directories.flat_map(std::fs::read_dir).flatten();
        let is_half_made = |path: &PathBuf| {
            let name = path.file_name().unwrap_or_default();
            name.to_string_lossy().starts_with(WORK_PREFIX)
        };
        let half_made = entries.flatten().map(|entry| entry.path());
        // A leftover that cannot be removed does no harm.
        half_made
            .filter(is_half_made)
            .filter(|path| {
                removal::clear(path);
                std::fs::remove_dir_all(path).is_ok()
            })
            .collect()
    }

    /// Returns the file of a guest's kernel, if the guest with this name is there.
    pub fn kernel_file(&self, name: &str) -> Option<PathBuf> {
        let file = self.guests_path().join(name).join(KERNEL_FILE);
        file.is_file().then_some(file)
    }

    pub(crate) fn guests_path(&self) -> PathBuf {
        self.root.join("guests")
    }

    pub(crate) fn downloads_path(&self) -> PathBuf {
        self.root.join("downloads")
    }

    /// Returns the modules of ZFS.
    pub(crate) fn modules(&self) -> FileStore {
        FileStore::new(self.root.join("modules"), "tar")
    }

    /// Returns the agent images.
    pub(crate) fn agents(&self) -> FileStore {
        FileStore::new(self.root.join("agents"), "img")
    }

    /// Returns the saved states of booted guests.
    pub(crate) fn states(&self) -> FileStore {
        FileStore::new(self.root.join("states"), "state")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tidy_removes_unfinished_work_unless_the_cache_is_locked() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::at(folder.path()).unwrap();
        let half_made = [
            folder.path().join("work-a"),
            folder.path().join("agents/work-b"),
            folder.path().join("states/work-c"),
        ];
        let locks = Part::ALL.map(|part| cache.lock(part, &mut || {}).unwrap());
        for path in half_made.iter().chain([&cache.guests_path()]) {
            std::fs::create_dir_all(path).unwrap();
        }
        assert!(cache.tidy().is_empty(), "both locks are held");
        // While a guest is prepared, others run.
        let [guests, runs] = locks;
        drop(runs);
        assert_eq!(cache.tidy(), half_made[1..]);
        assert!(cache.try_lock(Part::Guests).unwrap().is_none());
        drop(guests);
        assert_eq!(cache.tidy(), half_made[..1]);
        assert!(cache.guests_path().exists() && !half_made[2].exists());
    }

    #[test]
    fn a_directory_with_other_files_is_refused_and_kept() {
        let folder = tempfile::tempdir().unwrap();
        let thesis = folder.path().join("work-thesis");
        std::fs::create_dir(&thesis).unwrap();
        let cache = Cache::at(folder.path()).unwrap();
        let error = cache.lock(Part::Guests, &mut || {}).unwrap_err();
        assert!(error.to_string().contains("is not empty"), "{error}");
        // A lock file or another program's tag does not change that.
        std::fs::write(folder.path().join(Part::Guests.lock_file()), "").unwrap();
        let signature = TAG.lines().next().unwrap();
        std::fs::write(folder.path().join(TAG_FILE), format!("{signature}\n")).unwrap();
        assert!(cache.lock(Part::Guests, &mut || {}).is_err());
        assert!(cache.tidy().is_empty());
        assert!(thesis.exists());
    }

    #[test]
    fn a_symbolic_link_named_lock_is_not_followed() {
        let folder = tempfile::tempdir().unwrap();
        let [root, precious] = ["cache", "precious"].map(|name| folder.path().join(name));
        std::fs::create_dir(&root).unwrap();
        std::fs::write(&precious, "thesis").unwrap();
        std::os::unix::fs::symlink(&precious, root.join(Part::Guests.lock_file())).unwrap();
        let cache = Cache::at(&root).unwrap();
        assert!(cache.lock(Part::Guests, &mut || {}).is_err());
        assert_eq!(std::fs::read_to_string(&precious).unwrap(), "thesis");
    }

    /// Makes a guest of this program's recipe, `of this version`.
    fn make(cache: &Cache, release: &str, kernel_options: &str, tools: Option<&str>) -> Prepared {
        let manifest = Manifest {
            is_default: kernel_options.is_empty(),
            recipe_sha256: "of this version".to_owned(),
            kernel_options: kernel_options.to_owned(),
            tools: tools.map(str::to_owned),
            ..Manifest::of_kernel(release)
        };
        let name = manifest.made_from().guest_name(release);
        let directory = cache.guests_path().join(name);
        std::fs::create_dir_all(&directory).unwrap();
        manifest.write(&directory).unwrap();
        Prepared {
            directory,
            manifest,
        }
    }

    #[test]
    fn guests_of_one_release_live_side_by_side_and_are_chosen_by_name() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::at(folder.path()).unwrap();
        let release = "6.12.95-cloud-amd64";
        let tree = make(&cache, release, " --tree /srv/tree", None);
        let find = |asked: Option<&str>| cache.find(asked, "of this version");
        // One alone needs no name.
        for asked in [None, Some("6.12"), Some(release), Some(&*tree.name())] {
            assert_eq!(find(asked).unwrap(), tree, "{asked:?}");
        }
        let tools = make(&cache, release, "", Some("sid"));
        let own = make(&cache, release, "", None);
        make(&cache, "6.1.0-56-cloud-amd64", " --suite sid", None);
        assert_eq!(cache.guests().len(), 4);
        assert_eq!(find(None).unwrap(), own);
        for guest in [&tree, &tools, &own] {
            assert_eq!(find(Some(&guest.name())).unwrap(), *guest);
        }
        let error = find(Some("6.12")).unwrap_err();
        assert_eq!(
            error.to_string(),
            format!(
                "3 guests have the kernel {release}: {release}, {release}@tools-sid, {}",
                tree.name()
            )
        );
        assert_eq!(
            error.hint().unwrap(),
            "name one of them: `--kernel 6.12.95-cloud-amd64@tools-sid`, or the same as `kernel` in the study"
        );
        assert!(find(Some("6.1")).is_ok());
    }

    /// The short form of a name once selected nothing, and the hint then named the command
    /// `lab prepare --kernel 6.12.95@sid`, which no source of packages can follow.
    #[test]
    fn a_guest_is_found_by_a_version_and_what_it_is_made_from() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::at(folder.path()).unwrap();
        let release = "6.12.95+deb13-cloud-amd64";
        let own = make(&cache, release, "", None);
        let sid = make(&cache, release, " --suite sid", None);
        let both = make(&cache, release, " --suite sid", Some("forky"));
        let tree = make(&cache, release, " --tree /srv/tree", None);
        let find = |asked: &str| cache.find(Some(asked), "of this version");
        for asked in ["6.12.95@sid", "6.12@sid", &*sid.name()] {
            assert_eq!(find(asked).unwrap(), sid, "{asked}");
            assert_eq!(cache.named(asked).as_ref(), Some(&sid), "{asked}");
        }
        assert_eq!(find("6.12@sid+tools-forky").unwrap(), both);
        let (_, mark) = tree
            .name()
            .split_once('@')
            .map(|(a, b)| (a.to_owned(), b.to_owned()))
            .unwrap();
        assert_eq!(find(&format!("6.12.95@{mark}")).unwrap(), tree);
        assert_eq!(cache.named(&own.name()), Some(own));
        // A version alone may be any of them, and is no name.
        assert!(matches!(find("6.12"), Err(LabError::Ambiguous { .. })));
        assert_eq!(cache.named("6.12"), None);
        let at = folder.path().display();
        for (asked, command) in [
            (
                "6.12@forky",
                format!("`stripewise lab prepare --kernel 6.12 --cache {at} --suite forky`"),
            ),
            (
                "6.1@tools-sid",
                format!("`stripewise lab prepare --kernel 6.1 --cache {at} --tools sid`"),
            ),
            (
                "6.12@tree-x",
                format!(
                    "`stripewise lab prepare --kernel 6.12 --cache {at} --tree PATH`; PATH stands for what the guest was made from"
                ),
            ),
            (
                "5.10",
                format!(
                    "`stripewise lab prepare --kernel 5.10 --cache {at}`; `--suite NAME` takes a kernel that"
                ),
            ),
        ] {
            let hint = find(asked).unwrap_err().hint().unwrap();
            assert!(
                hint.starts_with(&format!("prepare it once: {command}")),
                "{asked}: {hint}"
            );
        }
    }

    /// The hint once named a command that cannot find the kernel: it lacked the suite.
    #[test]
    fn a_guest_of_another_version_is_prepared_again_as_it_was() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::at(folder.path()).unwrap();
        let directory = folder.path().join("guests/7.3.4-cloud-amd64");
        std::fs::create_dir_all(&directory).unwrap();
        let manifest = Manifest {
            is_default: false,
            recipe_sha256: "of another version".to_owned(),
            sources_sha256: Some(String::new()),
            kernel_options: " --suite trixie-backports".to_owned(),
            ..Manifest::of_kernel("7.3.4-cloud-amd64")
        };
        manifest.write(&directory).unwrap();
        assert_eq!(cache.guests().len(), 1);
        let at = folder.path().display();
        let hint = |asked: &str| {
            let error = cache.find(Some(asked), "of this version").unwrap_err();
            error.hint().unwrap()
        };
        let again = hint("7.3");
        assert!(
            again.starts_with("another version of the program made"),
            "{again}"
        );
        let command = format!(
            "`stripewise lab prepare --kernel 7.3.4-cloud-amd64 --cache {at} --suite trixie-backports`"
        );
        assert!(again.contains(&command), "{again}");
        let other = hint("6.1");
        assert!(
            other.starts_with("prepare it once: `stripewise lab prepare --kernel 6.1 "),
            "{other}"
        );
    }
}
