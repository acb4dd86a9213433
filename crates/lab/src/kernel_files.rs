//! The files of a guest's kernel: image and modules in the guest's root, headers beside it.
//!
//! Packages and trees differ in where they keep them: the image lies in `/boot`, or since Linux 6.19
//! beside its modules; headers lie in `/usr/src`, or where the modules' link `build` leads.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::apt::Package;
use crate::error::LabError;
use crate::kernel;
use crate::manifest::{PackageRecord, checksum};
use crate::programs::{DPKG_DEB, TAR, run};
use crate::recipe::DRIVERS_LEFT_OUT;
use crate::tree::{Tree, run_piped};

/// The directories of a tree that hold a kernel and its modules.
const KERNEL_PLACES: [&str; 3] = ["boot", "lib/modules", "usr/lib/modules"];

/// How the names of the packages begin that a kernel or its headers depend on. Of newer kernels,
/// `linux-base-RELEASE` lists the modules; `linux-base` is none of them.
const PACKAGES: [&str; 7] = [
    "linux-image-",
    "linux-binary-",
    "linux-modules-",
    "linux-headers-",
    "linux-kbuild-",
    "linux-compiler-",
    "linux-base-",
];

/// Returns the paths of drivers that no guest needs, of any release.
pub(crate) fn drivers_left_out() -> Vec<String> {
    let drivers = DRIVERS_LEFT_OUT.iter();
    drivers
        .flat_map(|drivers| ["./lib", "./usr/lib"].map(|lib| format!("{lib}/modules/*/{drivers}")))
        .collect()
}

/// Returns whether a package has headers or their tools, which are not part of a guest.
pub(crate) fn is_header(package: &str) -> bool {
    package.starts_with("linux-headers-") || package.starts_with("linux-kbuild-")
}

/// Returns whether a package is part of a kernel: an image, its modules, or headers with their tools.
pub(crate) fn is_part(package: &str) -> bool {
    let mut kinds = PACKAGES.iter();
    kinds.any(|kind| package.starts_with(kind)) && !package.ends_with("-dbg")
}

/// Refuses the kernel `release`, whose package has this version, if `asked` does not select it.
///
/// # Errors
/// [`LabError::NotAKernel`].
pub(crate) fn check_asked(
    asked: Option<&str>,
    release: &str,
    version: &str,
    from: &Path,
) -> Result<(), LabError> {
    match asked {
        Some(asked)
            if !kernel::is_selected(release, asked) && !kernel::is_selected(version, asked) =>
        {
            Err(LabError::NotAKernel {
                path: from.to_owned(),
                problem: format!("its kernel is {release}, and `--kernel` asks for {asked}"),
            })
        }
        _ => Ok(()),
    }
}

/// Returns the packages in `files`, with the names and versions that they state.
///
/// # Errors
/// If a file is no package.
pub(crate) fn packages(files: &[PathBuf]) -> Result<Vec<Package>, LabError> {
    let read = |path: &PathBuf| {
        let ask = DPKG_DEB
            .call(["--field"])
            .arg(path)
            .args(["Package", "Version"]);
        let text = run(ask, &format!("read the package `{}`", path.display()))?;
        let text = String::from_utf8_lossy(&text).into_owned();
        let field = |name: &str| {
            let value = text.lines().find_map(|line| line.strip_prefix(name));
            value.unwrap_or_default().trim().to_owned()
        };
        let (name, version) = (field("Package:"), field("Version:"));
        Ok(Package {
            record: PackageRecord {
                name,
                version,
                file: checksum(path)?,
            },
            path: path.clone(),
        })
    };
    files.iter().map(read).collect()
}

/// A kernel as it lies in a tree.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct InTree {
    /// Its release.
    pub(crate) release: String,
    /// Its headers.
    pub(crate) configured: PathBuf,
}

/// Finds the parts of the kernel in a tree, before anything is copied.
///
/// # Errors
/// [`LabError::NotAKernel`] with all parts that are missing.
pub(crate) fn examine(tree: &Path) -> Result<InTree, LabError> {
    let libraries = ["lib", "usr/lib"].map(|lib| tree.join(lib).join("modules"));
    let release = only_release(&libraries, tree)?;
    let image = image_of(&release, |place| tree.join(place), tree);
    let headers = headers_of(&release, tree, tree);
    match (image, headers) {
        (Ok(_), Ok(configured)) => Ok(InTree {
            release,
            configured,
        }),
        (
            Err(LabError::NotAKernel { problem: first, .. }),
            Err(LabError::NotAKernel {
                problem: second, ..
            }),
        ) => Err(LabError::NotAKernel {
            path: tree.to_owned(),
            problem: format!("{first}; and {second}"),
        }),
        (Err(error), _) | (_, Err(error)) => Err(error),
    }
}

/// Copies the kernel, its modules and its headers out of a tree, which stays unchanged.
///
/// # Errors
/// If the tree has no modules, or cannot be read.
pub(crate) fn copy(from: &Path, root: &Tree, headers: &Path) -> Result<(), LabError> {
    let mut left_out = drivers_left_out();
    // Links to headers on this machine lead nowhere in the guest.
    left_out.extend(["build", "source"].map(|link| format!("./*/modules/*/{link}")));
    copy_places(from, &KERNEL_PLACES, &root.path(""), &left_out)?;
    copy_places(from, &["usr/src"], headers, &[])?;
    for lib in ["lib", "usr/lib"] {
        let found = std::fs::read_dir(from.join(lib)).into_iter().flatten();
        let names = found.flatten().map(|entry| entry.file_name());
        let tools: Vec<String> = names
            .filter_map(|name| name.into_string().ok())
            .filter(|name| name.starts_with("linux-kbuild-"))
            .map(|name| format!("{lib}/{name}"))
            .collect();
        let tools: Vec<&str> = tools.iter().map(String::as_str).collect();
        copy_places(from, &tools, headers, &[])?;
    }
    Ok(())
}

/// Copies those of `places` in `from` that there are, and are no links out of the way.
fn copy_places(
    from: &Path,
    places: &[&str],
    to: &Path,
    left_out: &[String],
) -> Result<(), LabError> {
    let is_there = |place: &&&str| {
        let parent = from.join(place).parent().map(Path::to_owned);
        // `lib` may be a link to `usr/lib`, whose content is copied then.
        let is_link = parent.is_some_and(|parent| parent != from && parent.is_symlink());
        !is_link && from.join(place).is_dir()
    };
    let places: Vec<String> = places
        .iter()
        .filter(is_there)
        .map(|place| format!("./{place}"))
        .collect();
    if places.is_empty() {
        return Ok(());
    }
    let writer = TAR
        .call(["-c", "-C"])
        .arg(from)
        .args(left_out.iter().map(|path| format!("--exclude={path}")))
        .args(places);
    let reader = TAR
        .call(["--keep-directory-symlink", "--no-same-owner", "-x", "-C"])
        .arg(to);
    run_piped(writer, reader, &format!("copy `{}`", from.display())).map(drop)
}

/// Returns the kernel release of the modules in `root`; `from` is what they came from.
///
/// # Errors
/// If there is none, or there are several, or its name is unusable.
pub(crate) fn release_in(root: &Tree, from: &Path) -> Result<String, LabError> {
    only_release(&[root.path("usr/lib/modules")], from)
}

/// Returns the only kernel release of the modules in `directories`.
fn only_release(directories: &[PathBuf], from: &Path) -> Result<String, LabError> {
    let found = directories.iter().flat_map(std::fs::read_dir).flatten();
    let names: BTreeSet<String> = found
        .flatten()
        .filter(|entry| entry.path().join("kernel").is_dir())
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    let names: Vec<String> = names.into_iter().collect();
    let problem = match names.as_slice() {
        [name] if kernel::is_safe(name) => return Ok(name.clone()),
        [name] => format!("`{name}` is no name of a kernel release"),
        [] => "it has no modules (`lib/modules/RELEASE/kernel`)".to_owned(),
        several => format!("it has {} kernels: {}", several.len(), several.join(", ")),
    };
    Err(LabError::NotAKernel {
        path: from.to_owned(),
        problem,
    })
}

/// Returns the image of the kernel `release` in `root`.
///
/// # Errors
/// [`LabError::NotAKernel`] if it has none.
pub(crate) fn image(root: &Tree, release: &str, from: &Path) -> Result<PathBuf, LabError> {
    image_of(release, |place| root.path(place), from)
}

/// Returns the image of the kernel `release`; `at` makes a path of a place in the tree.
fn image_of(release: &str, at: impl Fn(&str) -> PathBuf, from: &Path) -> Result<PathBuf, LabError> {
    let places = [
        format!("boot/vmlinuz-{release}"),
        format!("usr/lib/modules/{release}/vmlinuz"),
        format!("lib/modules/{release}/vmlinuz"),
        "boot/vmlinuz".to_owned(),
    ];
    let mut found = places.iter().map(|place| at(place));
    // A link could lead out of the guest.
    let image = found.find(|path| path.symlink_metadata().is_ok_and(|file| file.is_file()));
    image.ok_or_else(|| LabError::NotAKernel {
        path: from.to_owned(),
        problem: format!("it has no image: {}", places.join(", ")),
    })
}

/// Returns the headers of the kernel `release`: those in `headers`, else where the link `build` of
/// its modules in the tree leads.
///
/// # Errors
/// [`LabError::NotAKernel`] if it has none.
pub(crate) fn headers_of(release: &str, headers: &Path, from: &Path) -> Result<PathBuf, LabError> {
    let packaged = headers.join(format!("usr/src/linux-headers-{release}"));
    let mut places = vec![packaged.clone()];
    for lib in ["lib", "usr/lib"] {
        let build = from.join(lib).join("modules").join(release).join("build");
        match std::fs::read_link(&build) {
            Ok(target) => places.push(build.parent().unwrap_or(from).join(target)),
            Err(_) => places.push(build),
        }
    }
    let found = places.iter().find(|place| place.join("Makefile").exists());
    found.cloned().ok_or_else(|| LabError::NotAKernel {
        path: from.to_owned(),
        problem: match from.is_dir() {
            true => format!(
                "it has no headers for the disk module: neither `usr/src/linux-headers-{release}` nor `lib/modules/{release}/build` has a Makefile"
            ),
            false => format!(
                "no `--package` has the headers for the disk module; name the package `linux-headers-{release}`, too, and those that it depends on (`linux-headers-...-common`, `linux-kbuild-...`)"
            ),
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree() -> (tempfile::TempDir, Tree) {
        let folder = tempfile::tempdir().unwrap();
        let root = Tree::create(&folder.path().join("root")).unwrap();
        std::fs::create_dir(folder.path().join("headers")).unwrap();
        (folder, root)
    }

    fn write(path: &Path) {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, "x").unwrap();
    }

    #[test]
    fn a_tree_is_copied_without_drivers_and_links_to_headers() {
        let (folder, root) = tree();
        let from = folder.path().join("from");
        let modules = from.join("lib/modules/6.9.0-own");
        for file in [
            "kernel/fs/ext4/ext4.ko",
            "kernel/drivers/net/e1000.ko",
            "kernel/sound/beep.ko",
            "modules.builtin",
        ] {
            write(&modules.join(file));
        }
        write(&from.join("boot/vmlinuz-6.9.0-own"));
        write(&from.join("usr/src/linux-headers-6.9.0-own/Makefile"));
        write(&from.join("etc/precious"));
        std::os::unix::fs::symlink("/usr/src/linux", modules.join("build")).unwrap();
        let headers = folder.path().join("headers");
        copy(&from, &root, &headers).unwrap();
        let release = release_in(&root, &from).unwrap();
        assert_eq!(release, "6.9.0-own");
        let copied = root.path("usr/lib/modules/6.9.0-own");
        assert!(copied.join("kernel/fs/ext4/ext4.ko").exists());
        assert!(copied.join("modules.builtin").exists());
        for left_out in [
            "kernel/drivers/net/e1000.ko",
            "kernel/sound/beep.ko",
            "build",
        ] {
            assert!(
                copied.join(left_out).symlink_metadata().is_err(),
                "{left_out}"
            );
        }
        assert!(!root.path("etc/precious").exists());
        assert_eq!(
            image(&root, &release, &from).unwrap(),
            root.path("boot/vmlinuz-6.9.0-own")
        );
        assert_eq!(
            headers_of(&release, &headers, &from).unwrap(),
            headers.join("usr/src/linux-headers-6.9.0-own")
        );
    }

    #[test]
    fn headers_may_lie_where_the_modules_say_and_the_image_beside_them() {
        let (folder, root) = tree();
        let from = folder.path().join("from");
        write(&from.join("usr/lib/modules/7.2.0/kernel/x.ko"));
        write(&from.join("usr/lib/modules/7.2.0/vmlinuz"));
        let headers = folder.path().join("headers");
        copy(&from, &root, &headers).unwrap();
        assert_eq!(
            image(&root, "7.2.0", &from).unwrap(),
            root.path("usr/lib/modules/7.2.0/vmlinuz")
        );
        let error = headers_of("7.2.0", &headers, &from)
            .unwrap_err()
            .to_string();
        assert!(
            error.contains("it has no headers for the disk module"),
            "{error}"
        );
        let package = folder.path().join("linux-image.deb");
        write(&package);
        let error = headers_of("7.2.0", &headers, &package).unwrap_err();
        let error = error.to_string();
        let says = "linux-image.deb`: no `--package` has the headers for the disk module; name the package `linux-headers-7.2.0`, too";
        assert!(error.contains(says), "{error}");
        let build = folder.path().join("build");
        write(&build.join("Makefile"));
        std::os::unix::fs::symlink(&build, from.join("usr/lib/modules/7.2.0/build")).unwrap();
        assert_eq!(headers_of("7.2.0", &headers, &from).unwrap(), build);
    }

    #[test]
    fn a_tree_without_modules_or_with_two_kernels_is_refused() {
        let (folder, root) = tree();
        let from = folder.path().join("from");
        write(&from.join("boot/vmlinuz"));
        copy(&from, &root, folder.path()).unwrap();
        let error = release_in(&root, &from).unwrap_err().to_string();
        assert!(error.contains("it has no modules"), "{error}");
        for release in ["6.1.0", "6.2.0"] {
            write(
                &root
                    .path("usr/lib/modules")
                    .join(release)
                    .join("kernel/x.ko"),
            );
        }
        let error = release_in(&root, &from).unwrap_err().to_string();
        assert!(error.ends_with("it has 2 kernels: 6.1.0, 6.2.0"), "{error}");
        let error = image(&root, "6.3.0", &from);
        assert!(error.is_ok(), "boot/vmlinuz without a release");
    }

    #[test]
    fn what_a_tree_lacks_is_named_before_it_is_copied() {
        let folder = tempfile::tempdir().unwrap();
        let from = folder.path();
        let says = |from: &Path| examine(from).unwrap_err().to_string();
        assert!(says(from).contains("it has no modules"), "{}", says(from));
        write(&from.join("lib/modules/6.9.0-own/kernel/x.ko"));
        let both = says(from);
        assert!(
            both.contains("it has no image: boot/vmlinuz-6.9.0-own"),
            "{both}"
        );
        assert!(both.contains("; and it has no headers"), "{both}");
        write(&from.join("lib/modules/6.9.0-own/vmlinuz"));
        let headers = says(from);
        assert!(headers.contains("`: it has no headers"), "{headers}");
        let configured = from.join("usr/src/linux-headers-6.9.0-own");
        write(&configured.join("Makefile"));
        let found = examine(from).unwrap();
        assert_eq!(found.release, "6.9.0-own");
        assert_eq!(found.configured, configured);
        write(&from.join("usr/lib/modules/6.9.1/kernel/x.ko"));
        assert!(says(from).ends_with("it has 2 kernels: 6.9.0-own, 6.9.1"));
    }

    #[test]
    fn packages_have_the_names_and_versions_that_they_state() {
        let folder = tempfile::tempdir().unwrap();
        let pack = |name: &str| {
            let control = folder.path().join(name).join("DEBIAN");
            std::fs::create_dir_all(&control).unwrap();
            let fields = format!(
                "Package: {name}\nVersion: 6.9-1\nArchitecture: all\nMaintainer: nobody <x@example.org>\nDescription: a package\n"
            );
            std::fs::write(control.join("control"), fields).unwrap();
            let file = folder.path().join(format!("{name}.deb"));
            let call = DPKG_DEB.call(["--build"]).arg(folder.path().join(name));
            run(call.arg(&file), "pack").unwrap();
            file
        };
        let image = pack("linux-image-6.9.0-own");
        let found = packages(std::slice::from_ref(&image)).unwrap();
        assert_eq!(found[0].record.name, "linux-image-6.9.0-own");
        assert_eq!(found[0].record.version, "6.9-1");
        assert!(is_part("linux-image-6.9.0-own") && is_part("linux-kbuild-6.9"));
        for other in [
            "hello",
            "linux-libc-dev",
            "linux-base",
            "linux-image-6.9.0-own-dbg",
        ] {
            assert!(!is_part(other), "{other}");
        }
        std::fs::write(&image, "damaged").unwrap();
        let error = packages(&[image]).unwrap_err().to_string();
        assert!(error.contains("it printed: "), "{error}");
    }
}
