//! Builds a guest: downloads and unpacks packages, builds the disk module, writes the images.
//!
//! All work happens in a temporary directory that is renamed into place, so an interrupted build
//! never looks complete. It installs nothing and needs no root.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::path::{Path, PathBuf};

use stripewise_process::Call;
use tempfile::TempDir;

use crate::apt::{Apt, Package};
use crate::cache::{Cache, Lock, Prepared, WORK_PREFIX};
use crate::doctor::{check_architecture, check_space};
use crate::error::LabError;
use crate::extra::Extra;
use crate::fio_stubs;
use crate::image;
use crate::kernel;
use crate::manifest::{Manifest, SCHEMA, ZfsBuild, checksum};
use crate::module;
use crate::programs::{GCC, MAKE, require_all, require_for_zfs, run, version_of};
use crate::recipe::{DRIVERS_LEFT_OUT, LEFT_OUT, Request, TOOLS, recipe_sha256};
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
}

/// The context of one preparation.
struct Preparation<'a> {
    cache: &'a Cache,
    progress: &'a mut dyn FnMut(PreparationStep),
    directory: TempDir,
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
    let recipe = recipe_sha256();
    let sources = sources_sha256(request)?;
    let there = || find(cache, request, &recipe, sources.as_deref());
    if let Some(prepared) = there() {
        return Ok(Outcome::AlreadyThere(prepared));
    }
    require_all()?;
    let mut request = request.clone();
    request
        .extras
        .extend(kept(cache, &request, sources.as_deref()));
    if request.extras.contains(&Extra::Zfs) {
        require_for_zfs()?;
    }
    check_space(cache.path(), &request.extras)?;
    let lock = cache.lock(&mut || progress(PreparationStep::Wait))?;
    // Another process may have built it meanwhile.
    if let Some(prepared) = there() {
        return Ok(Outcome::AlreadyThere(prepared));
    }
    let mut work = Preparation::begin(cache, progress, &lock)?;
    let chosen = work.download(&request, sources.as_deref())?;
    let (release, is_default) = (chosen.release.clone(), chosen.is_default);
    let guest = work.build(chosen)?;
    let manifest = Manifest {
        schema: SCHEMA,
        tool_version: env!("CARGO_PKG_VERSION").to_owned(),
        kernel: release,
        is_default,
        recipe_sha256: recipe,
        sources_sha256: sources,
        compiler: guest.compiler,
        extras: request.extras,
        zfs: guest.zfs,
        packages: guest.packages,
        files: guest.files,
    };
    work.put_in_place(&guest.directory, manifest)
        .map(Outcome::Made)
}

/// Returns a guest that satisfies `request`; `None` if the request requires newer packages.
fn find(cache: &Cache, request: &Request, recipe: &str, sources: Option<&str>) -> Option<Prepared> {
    if request.refresh {
        return None;
    }
    cache.guests().into_iter().find(|guest| {
        is_wanted(&guest.manifest, request, sources)
            && guest.manifest.extras.is_superset(&request.extras)
            && guest.manifest.recipe_sha256 == recipe
            && guest.verify().is_ok()
    })
}

/// Returns whether a guest has the kernel of the request.
fn is_wanted(manifest: &Manifest, request: &Request, sources: Option<&str>) -> bool {
    let has_kernel = match &request.kernel {
        Some(asked) => kernel::is_selected(&manifest.kernel, asked),
        // With sources the user named, any kernel will do.
        None => manifest.is_default || sources.is_some(),
    };
    has_kernel && manifest.sources_sha256.as_deref() == sources
}

/// Returns the extras of the guests that the requested one replaces: adding one extra must not
/// remove another.
fn kept(cache: &Cache, request: &Request, sources: Option<&str>) -> BTreeSet<Extra> {
    let guests = cache.guests().into_iter();
    let replaced = guests.filter(|guest| is_wanted(&guest.manifest, request, sources));
    replaced.flat_map(|guest| guest.manifest.extras).collect()
}

fn sources_sha256(request: &Request) -> Result<Option<String>, LabError> {
    let Some(path) = &request.sources else {
        return Ok(None);
    };
    checksum(path).map(|file| Some(file.sha256))
}

/// The chosen kernel and packages.
struct Chosen {
    release: String,
    is_default: bool,
    packages: Vec<Package>,
    extras: BTreeSet<Extra>,
    zfs: Option<Zfs>,
}

/// A built guest, not yet renamed into place.
struct Built {
    directory: PathBuf,
    compiler: String,
    zfs: Option<ZfsBuild>,
    packages: Vec<crate::manifest::PackageRecord>,
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

    fn report(&mut self, step: PreparationStep) {
        (self.progress)(step);
    }

    /// Downloads the guest's packages: the kernel from the sources the user named, the tools from
    /// the machine's own, because an old kernel does not need old tools.
    fn download(&mut self, request: &Request, sources: Option<&str>) -> Result<Chosen, LabError> {
        let states = self.cache.path().join("apt");
        let downloads = self.cache.downloads_path();
        let mut own = Apt::new(&states.join("machine"), None)?;
        let mut named = match (sources, &request.sources) {
            (Some(key), Some(path)) => Some(Apt::new(&states.join(&key[..16]), Some(path))?),
            _ => None,
        };
        let for_kernel = named.as_mut().unwrap_or(&mut own);
        if request.refresh || request.sources.is_some() {
            self.update(for_kernel)?;
        }
        let asked = request.kernel.as_deref();
        let (release, is_default, mut packages) = self.with_lists(for_kernel, |apt, report| {
            let (release, is_default) = choose(apt, asked, sources.is_some())?;
            report(PreparationStep::Kernel {
                release: release.clone(),
            });
            let names = kernel_packages(apt, &release)?;
            Ok((release, is_default, apt.download(&names, &downloads)?))
        })?;
        let tools = self.with_lists(&mut own, |apt, report| {
            report(PreparationStep::Tools);
            let mut names = apt.closure(&TOOLS)?;
            names.retain(|name| !LEFT_OUT.iter().any(|prefix| name.starts_with(prefix)));
            apt.download(&names, &downloads)
        })?;
        packages.extend(tools);
        let mut zfs = None;
        for extra in &request.extras {
            if *extra == Extra::Zfs {
                zfs = Some(self.download_zfs(&own, &release, &mut packages)?);
                continue;
            }
            let more = self.with_lists(&mut own, |apt, report| {
                report(PreparationStep::Tools);
                download_extra(apt, *extra, &packages, &downloads)
            })?;
            packages.extend(more);
        }
        Ok(Chosen {
            release,
            is_default,
            packages,
            extras: request.extras.clone(),
            zfs,
        })
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

    /// Runs `attempt` with the machine's package lists; if these are missing or too old, downloads
    /// our own lists and tries again.
    fn with_lists<T>(
        &mut self,
        apt: &mut Apt,
        attempt: impl Fn(&Apt, &mut dyn FnMut(PreparationStep)) -> Result<T, LabError>,
    ) -> Result<T, LabError> {
        match attempt(apt, self.progress) {
            Err(LabError::NoKernel { .. } | LabError::Failed { .. }) if !apt.is_updated() => {
                self.update(apt)?;
                attempt(apt, self.progress)
            }
            found => found,
        }
    }

    fn update(&mut self, apt: &mut Apt) -> Result<(), LabError> {
        self.report(PreparationStep::Lists);
        apt.update()
    }

    fn build(&mut self, chosen: Chosen) -> Result<Built, LabError> {
        let Chosen {
            release,
            packages,
            extras,
            zfs,
            ..
        } = chosen;
        let work = self.directory.path().to_owned();
        let headers = work.join("headers");
        std::fs::create_dir(&headers).map_err(LabError::file("create", &headers))?;
        let tree = Tree::create(&work.join("root"))?;
        self.unpack(&packages, &release, &headers)?;
        let compiler = self.build_module(&release, &headers, &tree)?;
        let zfs = match zfs {
            Some(zfs) => Some(self.add_zfs(&zfs, &packages, &compiler, &release, &tree)?),
            None => None,
        };
        self.report(PreparationStep::Libraries);
        let root = work.join("root");
        let libraries = tree.libraries();
        let more = extras
            .iter()
            .flat_map(|extra| extra.stubbed(&root, &libraries));
        let programs: Vec<PathBuf> = [tree.path("usr/bin/fio")].into_iter().chain(more).collect();
        fio_stubs::replace_missing(&programs, &libraries, &work)?;
        tree.add_configuration()?;
        tree.check_libraries(&extras)?;
        tree.list_modules(&release, &work)?;

        self.report(PreparationStep::Images);
        let directory = work.join("guest");
        std::fs::create_dir(&directory).map_err(LabError::file("create", &directory))?;
        let boot = tree.path("boot");
        let image = boot.join(format!("vmlinuz-{release}"));
        let kernel = directory.join(KERNEL_FILE);
        std::fs::rename(&image, &kernel).map_err(LabError::file("find", &image))?;
        tree.write_initramfs(&release, &directory.join(INITRAMFS_FILE))?;
        std::fs::remove_dir_all(&boot).map_err(LabError::file("remove", &boot))?;
        image::make(&root, &directory.join(ROOT_FILE), "stripewise-root")?;
        let mut files = BTreeMap::new();
        for name in [KERNEL_FILE, INITRAMFS_FILE, ROOT_FILE] {
            files.insert(name.to_owned(), checksum(&directory.join(name))?);
        }
        Ok(Built {
            directory,
            compiler,
            zfs,
            packages: packages.into_iter().map(|package| package.record).collect(),
            files,
        })
    }

    fn unpack(
        &mut self,
        packages: &[Package],
        release: &str,
        headers: &Path,
    ) -> Result<(), LabError> {
        let drivers: Vec<String> = DRIVERS_LEFT_OUT
            .iter()
            .flat_map(|drivers| {
                ["./lib", "./usr/lib"].map(|lib| format!("{lib}/modules/{release}/{drivers}"))
            })
            .collect();
        for (index, package) in packages.iter().enumerate() {
            self.report(PreparationStep::Unpack {
                number: index + 1,
                all: packages.len(),
            });
            let name = &package.record.name;
            let is_header = name.starts_with("linux-headers-") || name.starts_with("linux-kbuild-");
            match is_header {
                true => unpack(&package.path, headers, &[])?,
                false => unpack(&package.path, &self.directory.path().join("root"), &drivers)?,
            }
        }
        Ok(())
    }

    /// Builds the disk module against the kernel's headers and puts it beside the kernel's own.
    fn build_module(
        &mut self,
        release: &str,
        headers: &Path,
        tree: &Tree,
    ) -> Result<String, LabError> {
        self.report(PreparationStep::Module);
        let source = self.directory.path().join("module");
        std::fs::create_dir(&source).map_err(LabError::file("create", &source))?;
        for file in module::SOURCES {
            let path = source.join(file.name);
            std::fs::write(&path, file.text).map_err(LabError::file("write", &path))?;
        }
        let configured = headers
            .join("usr/src")
            .join(format!("linux-headers-{release}"));
        let mut compiler = None;
        for name in ["Makefile", ".kernelvariables"] {
            let path = configured.join(name);
            if let Some(text) = relocated(&path, headers)? {
                compiler = compiler.or_else(|| compiler_of(&text));
            }
        }
        let compiler = compiler
            .filter(|name| stripewise_process::find(name).is_some())
            .unwrap_or_else(|| GCC.name.to_owned());
        let make = MAKE.call(["-C"]).arg(&configured);
        let make = make
            .arg(format!("M={}", source.display()))
            .arg(format!("CC={compiler}"))
            // BTF needs the kernel's vmlinux, which is not here.
            .args(["-s", "CONFIG_DEBUG_INFO_BTF_MODULES=", "modules"]);
        run(make, &format!("build the disk module for kernel {release}"))?;
        let extra = tree.path("usr/lib/modules").join(release).join("extra");
        std::fs::create_dir_all(&extra).map_err(LabError::file("create", &extra))?;
        let file = format!("{}.ko", module::NAME);
        let built = source.join(&file);
        std::fs::copy(&built, extra.join(&file)).map_err(LabError::file("find", &built))?;
        let path = stripewise_process::find(&compiler);
        let version = path.and_then(|path| version_of(Call::new(&path).arg("--version")));
        Ok(version.unwrap_or(compiler))
    }

    /// Puts the modules of ZFS beside the kernel's own, and builds them if the cache has none for
    /// this kernel, source and compiler.
    fn add_zfs(
        &mut self,
        zfs: &Zfs,
        packages: &[Package],
        compiler: &str,
        release: &str,
        tree: &Tree,
    ) -> Result<ZfsBuild, LabError> {
        let store = self.cache.modules();
        let key = zfs.key(packages, compiler, release);
        let archive = match store.find_intact(&key) {
            Some(archive) => archive,
            None => {
                self.report(PreparationStep::Zfs {
                    version: zfs.version().to_owned(),
                });
                let made = zfs.build(&self.directory.path().join("headers"), release, &store)?;
                store.put(&made.path, &key)?
            }
        };
        let extra = tree.path("usr/lib/modules").join(release).join("extra");
        zfs.install(&archive, &extra)
    }

    /// Renames the built guest into the cache.
    fn put_in_place(&self, directory: &Path, manifest: Manifest) -> Result<Prepared, LabError> {
        manifest.write(directory)?;
        let place = self.cache.guests_path().join(&manifest.kernel);
        if place.exists() {
            // The old guest is removed with our work directory.
            let old = self.directory.path().join("old");
            std::fs::rename(&place, &old).map_err(LabError::file("replace", &place))?;
        }
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

/// Returns the kernel that `asked` selects, and whether it is the distribution's own; one from
/// sources the user named never is.
fn choose(apt: &Apt, asked: Option<&str>, is_elsewhere: bool) -> Result<(String, bool), LabError> {
    let names = apt.names("linux-image-")?;
    let offered = kernel::releases(names.iter().map(String::as_str));
    let own = apt
        .dependencies(&kernel::default_package())
        .unwrap_or_default();
    let own = kernel::releases(own.iter().map(String::as_str))
        .into_iter()
        .next();
    let (release, is_default) =
        choose_of(&offered, own.as_ref(), asked).ok_or_else(|| LabError::NoKernel {
            asked: asked.map_or_else(|| "at all".to_owned(), |asked| format!("`{asked}`")),
            found: kernel::generations(&offered),
        })?;
    Ok((release, is_default && !is_elsewhere))
}

/// Returns the newest of `offered` that `asked` selects, and whether it is the default: the
/// distribution's `own`, if there is one.
fn choose_of(
    offered: &[String],
    own: Option<&String>,
    asked: Option<&str>,
) -> Option<(String, bool)> {
    let default = own.or(offered.first());
    let found = match asked {
        Some(asked) => offered
            .iter()
            .find(|release| kernel::is_selected(release, asked)),
        None => default,
    };
    found.map(|release| (release.clone(), default == Some(release)))
}

/// Returns the packages of a kernel: image, headers, and kbuild tools.
fn kernel_packages(apt: &Apt, release: &str) -> Result<Vec<String>, LabError> {
    let headers = format!("linux-headers-{release}");
    let needed = apt.dependencies(&headers)?;
    let parts = needed
        .into_iter()
        .filter(|name| name.starts_with("linux-headers-") || name.starts_with("linux-kbuild-"));
    Ok([kernel::image_package(release), headers]
        .into_iter()
        .chain(parts)
        .collect())
}

/// Changes the absolute paths in a makefile of the headers to the unpacked location; returns its
/// text.
fn relocated(path: &Path, headers: &Path) -> Result<Option<String>, LabError> {
    let text = match std::fs::read_to_string(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        text => text.map_err(LabError::file("read", path))?,
    };
    let mut changed = text.clone();
    for place in ["/usr/src/linux-", "/usr/lib/linux-kbuild-"] {
        changed = changed.replace(place, &format!("{}{place}", headers.display()));
    }
    std::fs::write(path, &changed).map_err(LabError::file("write", path))?;
    Ok(Some(changed))
}

/// Returns the compiler that a kernel's makefiles name, such as `gcc-12`.
fn compiler_of(text: &str) -> Option<String> {
    text.split(|c: char| !c.is_ascii_alphanumeric() && c != '-')
        .find(|word| {
            word.strip_prefix("gcc-")
                .is_some_and(|number| number.parse::<u32>().is_ok())
        })
        .map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_distributions_own_kernel_is_the_default() {
        let offered = ["6.12.1-cloud-amd64", "6.1.0-56-cloud-amd64"].map(str::to_owned);
        let choice = |own, asked| choose_of(&offered, own, asked).unwrap();
        let [newest, own] = &offered;
        assert_eq!(choice(Some(own), None), (own.clone(), true));
        assert_eq!(choice(Some(own), Some("6.1")), (own.clone(), true));
        assert_eq!(choice(Some(own), Some("6.12")), (newest.clone(), false));
        assert_eq!(choice(None, None), (newest.clone(), true));
        assert_eq!(choice(None, Some("6.1")), (own.clone(), false));
        assert_eq!(choose_of(&offered, None, Some("5.10")), None);
    }

    #[test]
    fn the_compiler_is_read_from_the_kernels_makefiles() {
        let text = "CC = $(if $(X),$(CCACHE)) $(CROSS_COMPILE)gcc-12\n";
        assert_eq!(compiler_of(text).as_deref(), Some("gcc-12"));
        assert_eq!(compiler_of("CC = gcc-x gcc"), None);
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
        relocated(&path, Path::new("/cache/headers")).unwrap();
        assert_eq!(
            std::fs::read_to_string(&path).unwrap(),
            "include /cache/headers/usr/src/linux-headers-6.1-common/Makefile\n"
        );
        assert_eq!(
            relocated(&folder.path().join("none"), Path::new("/x")).unwrap(),
            None
        );
    }
}
