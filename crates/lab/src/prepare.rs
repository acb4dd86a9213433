//! Builds a guest: downloads and unpacks packages, builds the disk module, writes the images.
//!
//! All work happens in a temporary directory that is renamed into place, so an interrupted build
//! never looks complete. It installs nothing and needs no root.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use crate::apt::{Apt, Package};
use crate::apts::{Apts, with_lists};
use crate::cache::{Cache, Lock, Part, Prepared, WORK_PREFIX};
use crate::compiler::{self, Compiler, Origin};
use crate::doctor::{check_architecture, check_space};
use crate::error::LabError;
use crate::extra::Extra;
use crate::fio_stubs;
use crate::image;
use crate::kernel;
use crate::kernel_files;
use crate::kernel_source::KernelSource;
use crate::local_packages;
use crate::manifest::{MadeFrom, Manifest, PackageRecord, SCHEMA, ZfsBuild, checksum};
use crate::module;
use crate::packaged_kernel;
use crate::programs::{GCC, MAKE, require_all, require_for_zfs, run};
use crate::recipe::{LEFT_OUT, Request, TOOLS, recipe_sha256};
use crate::removal;
use crate::tree::{Tree, unpack};
use crate::zfs::{self, Zfs};

/// The kernel image of a guest.
pub(crate) const KERNEL_FILE: &str = "vmlinuz";
/// Its initramfs.
pub(crate) const INITRAMFS_FILE: &str = "initramfs";
/// Its root filesystem.
pub(crate) const ROOT_FILE: &str = "root.img";

/// The outcome of [`prepare`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// The guest already existed.
    AlreadyThere(Prepared),
    /// The guest was built.
    Made(Prepared),
}

/// A step of [`prepare`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PreparationStep {
    /// Waits for another process that prepares a guest.
    Wait,
    /// Downloads the lists of packages.
    Lists,
    /// Downloads a kernel.
    Kernel {
        /// Its release.
        release: String,
    },
    /// Downloads the guest's tools.
    Tools,
    /// Unpacks a package.
    Unpack {
        /// Its number, from 1.
        number: usize,
        /// The number of packages.
        all: usize,
    },
    /// Downloads a compiler.
    Compiler {
        /// Its name.
        name: String,
    },
    /// Builds the disk module.
    Module,
    /// Builds ZFS.
    Zfs {
        /// Its version.
        version: String,
    },
    /// Stubs out fio's network libraries.
    Libraries,
    /// Writes the guest's images.
    Images,
    /// Deletes what is unfinished, because this process is asked to stop.
    Remove,
}

/// The context of one preparation.
struct Preparation<'a> {
    cache: &'a Cache,
    progress: &'a mut dyn FnMut(PreparationStep),
    directory: TempDir,
}

impl Drop for Preparation<'_> {
    /// Deletes what was unpacked, faster than the directory itself would.
    fn drop(&mut self) {
        removal::clear(self.directory.path());
    }
}

/// Prepares the guest that `request` describes.
///
/// Calls `progress` with each step. Cost: a minute for a new guest, and six minutes of two cores to
/// build ZFS for its kernel; otherwise only a check of its files.
///
/// # Errors
/// [`LabError`]: missing programs, too little disk space, no such kernel, a failed download or
/// build.
pub fn prepare(
    cache: &Cache,
    request: &Request,
    progress: &mut dyn FnMut(PreparationStep),
) -> Result<Outcome, LabError> {
    check_architecture(std::env::consts::ARCH)?;
    let _removed = cache.tidy();
    let request = &request.clone().resolved(cache)?;
    let recipe = recipe_sha256();
    let sources = request.source.identity()?;
    let there = || find(cache, request, &recipe, sources.as_deref());
    if let Some(prepared) = there() {
        return Ok(Outcome::AlreadyThere(prepared));
    }
    require_all()?;
    local_packages::check(&request.source.packages)?;
    let mut request = request.clone();
    request.extras.extend(kept(cache, &request));
    if request.extras.contains(&Extra::Zfs) {
        require_for_zfs()?;
    }
    check_space(cache.path(), &request)?;
    let lock = cache.lock(Part::Guests, &mut || progress(PreparationStep::Wait))?;
    // Another process may have built it meanwhile.
    if let Some(prepared) = there() {
        return Ok(Outcome::AlreadyThere(prepared));
    }
    let mut work = Preparation::begin(cache, progress, &lock)?;
    let made = work.guest(request, recipe, sources);
    if matches!(made, Err(LabError::Interrupted)) {
        // Deleting what is unpacked takes seconds on a busy disk.
        work.report(PreparationStep::Remove);
    }
    made.map(Outcome::Made)
}

/// Returns a guest that satisfies `request`; `None` if the request requires newer packages.
fn find(cache: &Cache, request: &Request, recipe: &str, sources: Option<&str>) -> Option<Prepared> {
    if request.refresh {
        return None;
    }
    let mut guests = cache.guests().into_iter();
    guests.find(|guest| is_current(guest, request, recipe, sources) && guest.verify().is_ok())
}

/// Returns whether a guest satisfies `request`, as far as its manifest says; `sources` identifies the
/// kernel's source as it is now.
pub(crate) fn is_current(
    guest: &Prepared,
    request: &Request,
    recipe: &str,
    sources: Option<&str>,
) -> bool {
    let manifest = &guest.manifest;
    is_wanted(manifest, request)
        && manifest.sources_sha256.as_deref() == sources
        && manifest.extras.is_superset(&request.extras)
        && manifest.recipe_sha256 == recipe
}

/// Returns whether a guest has the kernel of the request, from the same source, and its tools.
fn is_wanted(manifest: &Manifest, request: &Request) -> bool {
    let kernel_options = request.source.options();
    let has_kernel = match &request.kernel {
        Some(asked) => manifest.has_kernel(asked),
        // With sources the user named, any kernel will do.
        None => manifest.is_default || !kernel_options.is_empty(),
    };
    let made_from = MadeFrom {
        kernel_options: &kernel_options,
        tools: request.tools.as_deref(),
    };
    has_kernel && manifest.made_from() == made_from
}

/// Returns the extras of the guests that the requested one replaces: adding one extra must not
/// remove another.
fn kept(cache: &Cache, request: &Request) -> BTreeSet<Extra> {
    let guests = cache.guests().into_iter();
    let replaced = guests.filter(|guest| is_wanted(&guest.manifest, request));
    replaced.flat_map(|guest| guest.manifest.extras).collect()
}

/// Frees the place of the guest that `manifest` describes, and returns it: a guest made from the same is
/// moved to `old`, and another one with the name, of a version that knew only releases, gets its own name.
fn free_place(cache: &Cache, manifest: &Manifest, old: &Path) -> Result<PathBuf, LabError> {
    let name = manifest.made_from().guest_name(&manifest.kernel);
    let place = cache.guests_path().join(name);
    let same = cache.guest_directories().find(|directory| {
        let found = Manifest::read(directory);
        found.is_some_and(|found| {
            found.kernel == manifest.kernel && found.made_from() == manifest.made_from()
        })
    });
    let moved =
        |from: &Path, to: &Path| std::fs::rename(from, to).map_err(LabError::file("replace", from));
    if let Some(same) = same {
        moved(&same, old)?;
    }
    if place.exists() {
        let other = Manifest::read(&place);
        let other = other.map(|other| other.made_from().guest_name(&other.kernel));
        let free = other.map(|name| cache.guests_path().join(name));
        match free.filter(|free| !free.exists()) {
            Some(free) => moved(&place, &free)?,
            // Damaged: removed with our work directory.
            None => moved(&place, &old.with_extension("damaged"))?,
        }
    }
    Ok(place)
}

/// A kernel whose files lie in the guest's root, and its headers beside it.
struct Kernel {
    release: String,
    is_default: bool,
    /// What it came from, for messages.
    from: PathBuf,
    packages: Vec<Package>,
    /// Its headers.
    configured: PathBuf,
}

/// The guest's other packages.
struct Tools {
    packages: Vec<Package>,
    zfs: Option<Zfs>,
}

/// A built guest, not yet renamed into place.
struct Built {
    release: String,
    directory: PathBuf,
    zfs: Option<ZfsBuild>,
    packages: Vec<PackageRecord>,
    files: BTreeMap<String, crate::manifest::Checksum>,
}

impl<'a> Preparation<'a> {
    fn begin(
        cache: &'a Cache,
        progress: &'a mut dyn FnMut(PreparationStep),
        _lock: &Lock,
    ) -> Result<Self, LabError> {
        // The kernel's makefiles do not work in a directory with such a name.
        let is_bad = |c: char| c.is_whitespace() || matches!(c, ':' | '\'' | '"' | '$' | '#');
        if cache
            .path()
            .to_str()
            .is_none_or(|path| path.contains(is_bad))
        {
            return Err(LabError::Cache {
                path: cache.path().to_owned(),
                problem: "its path has spaces or special characters, which the kernel's module build does not support".to_owned(),
            });
        }
        for directory in [cache.downloads_path(), cache.guests_path()] {
            std::fs::create_dir_all(&directory).map_err(LabError::file("create", &directory))?;
        }
        let directory = tempfile::Builder::new()
            .prefix(WORK_PREFIX)
            .tempdir_in(cache.path())
            .map_err(LabError::file("create", cache.path()))?;
        Ok(Self {
            cache,
            progress,
            directory,
        })
    }

    /// Makes the guest and puts it into the cache.
    fn guest(
        &mut self,
        request: Request,
        recipe: String,
        sources: Option<String>,
    ) -> Result<Prepared, LabError> {
        let mut apts = Apts::new(self.cache, &request, sources.as_deref(), self.progress)?;
        let kernel = self.kernel(&request, &mut apts)?;
        let tools = self.tools(&request, &mut apts, &kernel)?;
        let compiler = self.compiler(&request, &mut apts, &kernel)?;
        let is_default = kernel.is_default && sources.is_none();
        let guest = self.build(kernel, tools, &compiler, &request.extras)?;
        let manifest = Manifest {
            schema: SCHEMA,
            tool_version: env!("CARGO_PKG_VERSION").to_owned(),
            kernel: guest.release,
            is_default,
            recipe_sha256: recipe,
            sources_sha256: sources,
            kernel_options: request.source.options(),
            tools: request.tools,
            compiler: compiler.version,
            extras: request.extras,
            zfs: guest.zfs,
            packages: guest.packages,
            files: guest.files,
        };
        self.put_in_place(&guest.directory, manifest)
    }

    fn report(&mut self, step: PreparationStep) {
        (self.progress)(step);
    }

    fn root(&self) -> PathBuf {
        self.directory.path().join("root")
    }

    fn headers(&self) -> PathBuf {
        self.directory.path().join("headers")
    }

    /// Puts the kernel into the guest's root, and its headers beside it.
    fn kernel(&mut self, request: &Request, apts: &mut Apts) -> Result<Kernel, LabError> {
        let headers = self.headers();
        std::fs::create_dir(&headers).map_err(LabError::file("create", &headers))?;
        let root = Tree::create(&self.root())?;
        let source = &request.source;
        let asked = request.kernel.as_deref();
        let mut is_default = false;
        let (packages, from) = match (&source.tree, source.packages.as_slice()) {
            (Some(tree), _) => {
                let found = kernel_files::examine(tree)?;
                kernel_files::check_asked(asked, &found.release, "", tree)?;
                let compiler = compiler::asked_by(&found.configured)?;
                self.require_compiler(source, apts, compiler, &found.release)?;
                kernel_files::copy(tree, &root, &headers)?;
                (Vec::new(), tree.clone())
            }
            (None, []) => {
                let downloads = self.cache.downloads_path();
                let (kernel, packages) = self.with_lists(apts.for_kernel(), |apt, report| {
                    let kernel = packaged_kernel::choose(apt, asked)?;
                    let release = kernel.release.clone();
                    let names = packaged_kernel::packages(apt, &release)?;
                    let needed = apt.dependencies(&format!("linux-headers-{release}"))?;
                    if let Some(name) = compiler::named_by(&needed) {
                        compiler::require(apt, &name, source, &release)?;
                    }
                    report(PreparationStep::Kernel { release });
                    Ok((kernel, apt.download(&names, &downloads)?))
                })?;
                is_default = kernel.is_default;
                (packages, downloads)
            }
            (None, files) => {
                let compiler = local_packages::compiler(files)?;
                let release = local_packages::release(files)?;
                self.require_compiler(source, apts, compiler, &release)?;
                (kernel_files::packages(files)?, files[0].clone())
            }
        };
        self.unpack(&packages)?;
        let release = kernel_files::release_in(&root, &from)?;
        let image = kernel::image_package(&release);
        let mut records = packages.iter().map(|package| &package.record);
        let version = records.find(|record| record.name == image);
        let version = version.map_or("", |record| &record.version);
        kernel_files::check_asked(asked, &release, version, &from)?;
        Ok(Kernel {
            configured: kernel_files::headers_of(&release, &headers, &from)?,
            release,
            is_default,
            from,
            packages,
        })
    }

    /// Checks that the compiler of a kernel is there or offered, before the kernel is unpacked.
    fn require_compiler(
        &mut self,
        source: &KernelSource,
        apts: &mut Apts,
        compiler: Option<String>,
        release: &str,
    ) -> Result<(), LabError> {
        match compiler {
            None => Ok(()),
            Some(name) => self.with_lists(apts.for_kernel(), |apt, _| {
                compiler::require(apt, &name, source, release)
            }),
        }
    }

    /// Downloads and unpacks the guest's tools and extras: from the suite that the request names
    /// for them, else from the machine's own sources, because a kernel does not need tools of its
    /// own age.
    fn tools(
        &mut self,
        request: &Request,
        apts: &mut Apts,
        kernel: &Kernel,
    ) -> Result<Tools, LabError> {
        let downloads = self.cache.downloads_path();
        let mut packages = self.with_lists(apts.for_tools(), |apt, report| {
            report(PreparationStep::Tools);
            let mut names = apt.closure(&TOOLS)?;
            names.retain(|name| !LEFT_OUT.iter().any(|prefix| name.starts_with(prefix)));
            apt.download(&names, &downloads)
        })?;
        let mut zfs = None;
        for extra in &request.extras {
            if *extra == Extra::Zfs {
                zfs = Some(self.download_zfs(&apts.own, &kernel.release, &mut packages)?);
                continue;
            }
            let more = self.with_lists(apts.for_tools(), |apt, report| {
                report(PreparationStep::Tools);
                download_extra(apt, *extra, &packages, &downloads)
            })?;
            packages.extend(more);
        }
        self.unpack(&packages)?;
        Ok(Tools { packages, zfs })
    }

    /// Returns the compiler that the kernel's headers ask for: unpacked from the sources that the
    /// request names, else the machine's own, else unpacked from the machine's sources.
    fn compiler(
        &mut self,
        request: &Request,
        apts: &mut Apts,
        kernel: &Kernel,
    ) -> Result<Compiler, LabError> {
        let asked = compiler::asked_by(&kernel.configured)?;
        let Some(name) = asked else {
            return Compiler::of_machine(None).ok_or_else(|| LabError::Missing {
                programs: vec![GCC.name],
                packages: vec![GCC.package],
            });
        };
        let downloads = self.cache.downloads_path();
        let download = || {
            self.with_lists(apts.for_kernel(), |apt, report| {
                report(PreparationStep::Compiler { name: name.clone() });
                compiler::download(apt, &name, &downloads)
            })
        };
        match compiler::choose(&name, &request.source, download) {
            Ok(Origin::Machine(own)) => Ok(own),
            Ok(Origin::Packages(packages)) => {
                let root = self.directory.path().join("compiler");
                Compiler::unpack(&name, &packages, &root, &self.headers())
            }
            Err(error) => Err(compiler::no_compiler(error, &name, &kernel.release)),
        }
    }

    /// Downloads ZFS, and adds its tools to `packages`.
    fn download_zfs(
        &mut self,
        own: &Apt,
        release: &str,
        packages: &mut Vec<Package>,
    ) -> Result<Zfs, LabError> {
        self.report(PreparationStep::Lists);
        let downloads = self.cache.downloads_path();
        let (apt, zfs) = zfs::find(
            own,
            release,
            &self.cache.path().join("apt"),
            &downloads,
            self.directory.path(),
        )?;
        packages.extend(download_extra(&apt, Extra::Zfs, packages, &downloads)?);
        Ok(zfs)
    }

    /// Runs `attempt`, as [`with_lists`] does.
    fn with_lists<T>(
        &mut self,
        apt: &mut Apt,
        attempt: impl Fn(&Apt, &mut dyn FnMut(PreparationStep)) -> Result<T, LabError>,
    ) -> Result<T, LabError> {
        with_lists(apt, self.progress, attempt)
    }

    fn build(
        &mut self,
        kernel: Kernel,
        tools: Tools,
        compiler: &Compiler,
        extras: &BTreeSet<Extra>,
    ) -> Result<Built, LabError> {
        let (work, root) = (self.directory.path().to_owned(), self.root());
        let tree = Tree::at(&root);
        let release = &kernel.release;
        self.build_module(&kernel, compiler, &tree)?;
        let mut packages = kernel.packages;
        packages.extend(tools.packages);
        let zfs = match tools.zfs {
            Some(zfs) => Some(self.add_zfs(&zfs, &packages, compiler, release, &tree)?),
            None => None,
        };
        self.report(PreparationStep::Libraries);
        let libraries = tree.libraries();
        let more = extras
            .iter()
            .flat_map(|extra| extra.stubbed(&root, &libraries));
        let programs: Vec<PathBuf> = [tree.path("usr/bin/fio")].into_iter().chain(more).collect();
        fio_stubs::replace_missing(&programs, &libraries, &work)?;
        tree.add_configuration()?;
        tree.check_libraries(extras)?;
        tree.list_modules(release, &work)?;

        self.report(PreparationStep::Images);
        let directory = work.join("guest");
        std::fs::create_dir(&directory).map_err(LabError::file("create", &directory))?;
        let image = kernel_files::image(&tree, release, &kernel.from)?;
        std::fs::rename(&image, directory.join(KERNEL_FILE))
            .map_err(LabError::file("find", &image))?;
        tree.write_initramfs(release, &directory.join(INITRAMFS_FILE))?;
        let boot = tree.path("boot");
        if boot.exists() {
            std::fs::remove_dir_all(&boot).map_err(LabError::file("remove", &boot))?;
        }
        image::make(&root, &directory.join(ROOT_FILE), "stripewise-root")?;
        let mut files = BTreeMap::new();
        for name in [KERNEL_FILE, INITRAMFS_FILE, ROOT_FILE] {
            files.insert(name.to_owned(), checksum(&directory.join(name))?);
        }
        Ok(Built {
            release: kernel.release,
            directory,
            zfs,
            packages: packages.into_iter().map(|package| package.record).collect(),
            files,
        })
    }

    fn unpack(&mut self, packages: &[Package]) -> Result<(), LabError> {
        let drivers = kernel_files::drivers_left_out();
        for (index, package) in packages.iter().enumerate() {
            self.report(PreparationStep::Unpack {
                number: index + 1,
                all: packages.len(),
            });
            match kernel_files::is_header(&package.record.name) {
                true => unpack(&package.path, &self.headers(), &[])?,
                false => unpack(&package.path, &self.root(), &drivers)?,
            }
        }
        Ok(())
    }

    /// Builds the disk module against the kernel's headers and puts it beside the kernel's own.
    fn build_module(
        &mut self,
        kernel: &Kernel,
        compiler: &Compiler,
        tree: &Tree,
    ) -> Result<(), LabError> {
        self.report(PreparationStep::Module);
        let source = self.directory.path().join("module");
        std::fs::create_dir(&source).map_err(LabError::file("create", &source))?;
        for file in module::SOURCES {
            let path = source.join(file.name);
            std::fs::write(&path, file.text).map_err(LabError::file("write", &path))?;
        }
        let (headers, configured) = (self.headers(), &kernel.configured);
        // Headers that lie elsewhere on this machine are used where they lie.
        if configured.starts_with(&headers) {
            for name in ["Makefile", ".kernelvariables"] {
                relocate(&configured.join(name), &headers)?;
            }
        }
        let make = MAKE
            .call(["-C"])
            .arg(configured)
            .arg(format!("M={}", source.display()))
            .arg(format!("CC={}", compiler.program))
            // BTF needs the kernel's vmlinux, which is not here.
            .args(["-s", "CONFIG_DEBUG_INFO_BTF_MODULES=", "modules"])
            .envs(compiler.variables())
            .appending();
        let release = &kernel.release;
        let attempted = format!(
            "build the disk module for kernel {release} with {}",
            compiler.version
        );
        run(make, &attempted)?;
        let extra = tree.path("usr/lib/modules").join(release).join("extra");
        std::fs::create_dir_all(&extra).map_err(LabError::file("create", &extra))?;
        let file = format!("{}.ko", module::NAME);
        let built = source.join(&file);
        std::fs::copy(&built, extra.join(&file)).map_err(LabError::file("find", &built))?;
        Ok(())
    }

    /// Puts the modules of ZFS beside the kernel's own, and builds them if the cache has none for
    /// this kernel, source and compiler.
    fn add_zfs(
        &mut self,
        zfs: &Zfs,
        packages: &[Package],
        compiler: &Compiler,
        release: &str,
        tree: &Tree,
    ) -> Result<ZfsBuild, LabError> {
        let store = self.cache.modules();
        let key = zfs.key(packages, &compiler.version, release);
        let archive = match store.find_intact(&key) {
            Some(archive) => archive,
            None => {
                self.report(PreparationStep::Zfs {
                    version: zfs.version().to_owned(),
                });
                let made = zfs.build(&self.headers(), release, compiler, &store)?;
                store.put(&made.path, &key)?
            }
        };
        let extra = tree.path("usr/lib/modules").join(release).join("extra");
        zfs.install(&archive, &extra)
    }

    /// Renames the built guest into the cache.
    fn put_in_place(&self, directory: &Path, manifest: Manifest) -> Result<Prepared, LabError> {
        manifest.write(directory)?;
        // The old guest is removed with our work directory.
        let place = free_place(self.cache, &manifest, &self.directory.path().join("old"))?;
        std::fs::rename(directory, &place)
            .and_then(|()| File::open(self.cache.guests_path())?.sync_all())
            .map_err(LabError::file("create", &place))?;
        Ok(Prepared {
            directory: place,
            manifest,
        })
    }
}

/// Downloads the packages of an extra that are not among `packages`.
fn download_extra(
    apt: &Apt,
    extra: Extra,
    packages: &[Package],
    downloads: &Path,
) -> Result<Vec<Package>, LabError> {
    let is_new = |name: &String| !packages.iter().any(|there| there.record.name == *name);
    let mut names = apt.closure(extra.packages())?;
    names.retain(|name| extra.needs(name) && is_new(name));
    apt.download(&names, downloads)
}

/// Changes the absolute paths in a makefile of the headers, if there is one, to the unpacked
/// location.
fn relocate(path: &Path, headers: &Path) -> Result<(), LabError> {
    let mut text = match std::fs::read_to_string(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        text => text.map_err(LabError::file("read", path))?,
    };
    for place in ["/usr/src/linux-", "/usr/lib/linux-kbuild-"] {
        text = text.replace(place, &format!("{}{place}", headers.display()));
    }
    std::fs::write(path, text).map_err(LabError::file("write", path))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `lab prepare --tree` once replaced the guest of the same release silently.
    #[test]
    fn a_guest_replaces_only_one_that_is_made_from_the_same() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::at(folder.path()).unwrap();
        let release = "6.12.95-cloud-amd64";
        let put =
            |kernel_options: &str, tools: Option<&str>, version: &str, place: Option<&str>| {
                let manifest = Manifest {
                    tool_version: version.to_owned(),
                    kernel_options: kernel_options.to_owned(),
                    sources_sha256: (!kernel_options.is_empty()).then(|| version.to_owned()),
                    tools: tools.map(str::to_owned),
                    is_default: kernel_options.is_empty(),
                    ..Manifest::of_kernel(release)
                };
                let work = tempfile::tempdir_in(folder.path()).unwrap();
                let place = match place {
                    Some(place) => cache.guests_path().join(place),
                    None => free_place(&cache, &manifest, &work.path().join("old")).unwrap(),
                };
                std::fs::create_dir_all(&place).unwrap();
                manifest.write(&place).unwrap();
            };
        let there = || -> Vec<(String, String)> {
            let guests = cache.guests().into_iter();
            let named = guests.map(|guest| (guest.name(), guest.manifest.tool_version));
            named.collect()
        };
        std::fs::create_dir(cache.guests_path()).unwrap();
        // A version that knew only releases prepared this one.
        put(" --suite sid", None, "1", Some(release));
        put("", None, "2", None);
        let at_sid = format!("{release}@sid");
        let of = |name: &str, version: &str| (name.to_owned(), version.to_owned());
        assert_eq!(there(), [of(release, "2"), of(&at_sid, "1")]);
        put("", Some("sid"), "3", None);
        put(" --suite sid", None, "4", None);
        put("", None, "5", None);
        let tools = format!("{release}@tools-sid");
        assert_eq!(
            there(),
            [of(release, "5"), of(&at_sid, "4"), of(&tools, "3")]
        );

        // A changed tree in the same place is prepared again, and takes over what the guest has.
        let request = |tree: &str, tools: Option<&str>| Request {
            kernel: Some("6.12".to_owned()),
            source: KernelSource {
                tree: Some(tree.into()),
                ..KernelSource::default()
            },
            tools: tools.map(str::to_owned),
            ..Request::default()
        };
        put(" --tree /srv/tree", None, "6", None);
        let guests = cache.guests();
        let tree = guests.iter().find(|guest| guest.name().contains("@tree-"));
        let tree = tree.unwrap();
        assert!(is_current(tree, &request("/srv/tree", None), "", Some("6")));
        for (other, sum) in [
            (request("/srv/tree", None), Some("7")),
            (request("/srv/other", None), Some("6")),
            (request("/srv/tree", Some("sid")), Some("6")),
            (Request::default(), None),
        ] {
            assert!(!is_current(tree, &other, "", sum), "{other:?}");
        }
        assert!(is_wanted(&tree.manifest, &request("/srv/tree", None)));
    }

    #[test]
    fn header_paths_are_relocated_to_the_unpacked_directory() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("Makefile");
        std::fs::write(
            &path,
            "include /usr/src/linux-headers-6.1-common/Makefile\n",
        )
        .unwrap();
        relocate(&path, Path::new("/cache/headers")).unwrap();
        assert_eq!(
            std::fs::read_to_string(&path).unwrap(),
            "include /cache/headers/usr/src/linux-headers-6.1-common/Makefile\n"
        );
        let none = folder.path().join("none");
        relocate(&none, Path::new("/x")).unwrap();
        assert!(!none.exists());
    }
}
