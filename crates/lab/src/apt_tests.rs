//! Tests against the real apt, with a repository of one package in a directory.
//!
//! Two failures: a package file in the directory where `lab prepare` ran was silently left out of
//! the guest. And on a machine without a network we reported that there is no kernel.

use std::fmt::Write as _;

use super::*;

#[test]
fn apt_output_is_parsed() {
    let text = b"'http://deb.debian.org/pool/m/busybox-static_1%3a1.35.0-4_amd64.deb' busybox-static_1%3a1.35.0-4_amd64.deb 995700 MD5Sum:1f\nsomething else\n";
    let found = offers(text).unwrap();
    assert_eq!(
        found,
        [Offer {
            name: "busybox-static".to_owned(),
            version: "1:1.35.0-4".to_owned(),
            file: "busybox-static_1%3a1.35.0-4_amd64.deb".to_owned(),
            bytes: 995_700,
            sha256: None,
        }]
    );
}

#[test]
fn a_file_name_that_leaves_the_directory_is_refused() {
    for line in [
        "'http://x/y' ../../etc/passwd_1_all.deb 1 MD5Sum:1",
        "'http://x/y' a_1_all.deb many MD5Sum:1",
        "'http://x/y' a.deb 1",
        "'http://x/y'",
    ] {
        assert!(offers(line.as_bytes()).is_err(), "{line}");
    }
}

#[test]
fn a_package_is_of_the_release_in_its_line() {
    let line = "linux-image-7.3-cloud-amd64 | 7.3~rc7-1~exp1 | http://deb.debian.org/debian experimental/main amd64 Packages";
    let image = Some("linux-image-7.3-cloud-amd64");
    assert_eq!(of_release(line, "experimental"), image);
    assert_eq!(of_release(line, "sid"), None);
    for cut in ["linux-image-7.3 | 7.3", "no line of a package", ""] {
        assert_eq!(of_release(cut, "experimental"), None);
    }
}

#[test]
fn dependencies_are_names() {
    assert_eq!(
        dependency_names("linux-headers-6.1.0-56-common (= 6.1.192-2), a:any | b, c"),
        ["linux-headers-6.1.0-56-common", "a", "c"]
    );
}

/// A package source with one package, `tiny`.
struct Repository {
    directory: tempfile::TempDir,
    file: &'static str,
}

impl Repository {
    fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path();
        let control = root.join("tiny/DEBIAN");
        std::fs::create_dir_all(&control).unwrap();
        let fields = "Package: tiny\nVersion: 1:2.0\nArchitecture: all\nMaintainer: nobody <x@example.org>\nDescription: a package\n";
        std::fs::write(control.join("control"), fields).unwrap();
        let file = "tiny_2.0_all.deb";
        let pack = crate::programs::DPKG_DEB.call(["--build"]);
        let pack = pack.args([root.join("tiny"), root.join(file)]);
        run(pack, "pack").unwrap();
        let sum = checksum(&root.join(file)).unwrap();
        let mut list = fields.to_owned();
        write!(
            list,
            "Filename: ./{file}\nSize: {}\nSHA256: {}\n",
            sum.bytes, sum.sha256
        )
        .unwrap();
        std::fs::write(root.join("Packages"), list).unwrap();
        let source = format!("deb [trusted=yes] copy:{} ./\n", root.display());
        std::fs::write(root.join("tiny.list"), source).unwrap();
        Self { directory, file }
    }

    /// Returns apt with this source alone, its lists downloaded.
    fn apt(&self) -> Apt {
        let root = self.directory.path();
        let mut apt = Apt::new(&root.join("state"), Some(&root.join("tiny.list"))).unwrap();
        apt.update().unwrap();
        apt
    }
}

#[test]
fn a_damaged_package_is_downloaded_again_and_an_intact_one_is_not() {
    let repository = Repository::new();
    let apt = repository.apt();
    let downloads = tempfile::tempdir().unwrap();
    let tiny = ["tiny".to_owned()];
    let fetched = apt.download(&tiny, downloads.path()).unwrap();
    let [package] = fetched.as_slice() else {
        panic!("one package: {fetched:?}")
    };
    assert_eq!(package.record.version, "1:2.0");
    let good = std::fs::read(&package.path).unwrap();
    let mut bad = good.clone();
    bad[good.len() / 2] ^= 1;
    std::fs::write(&package.path, &bad).unwrap();
    apt.download(&tiny, downloads.path()).unwrap();
    assert_eq!(std::fs::read(&package.path).unwrap(), good);
    // With the source gone, only the downloaded file can serve.
    std::fs::remove_file(repository.directory.path().join(repository.file)).unwrap();
    apt.download(&tiny, downloads.path()).unwrap();
}

#[test]
fn parsed_lists_are_kept_where_the_machine_keeps_none() {
    let repository = Repository::new();
    let apt = repository.apt();
    let cache = repository.directory.path().join("state/cache");
    let kept = |file: &&str| cache.join(format!("{file}.bin")).exists();
    assert!(apt.closure(&["tiny"]).is_ok());
    assert_eq!(PARSED_LISTS.iter().filter(|file| kept(file)).count(), 2);
}

#[test]
fn a_package_file_in_the_working_directory_is_not_left_out() {
    let repository = Repository::new();
    let apt = repository.apt();
    let state = repository.directory.path().join("state");
    let call = apt.call(APT_GET);
    assert_eq!(call.command().get_current_dir(), Some(state.as_path()));
    // A package that apt prints nothing about is an error.
    std::fs::copy(
        repository.directory.path().join(repository.file),
        state.join("tiny_1%3a2.0_all.deb"),
    )
    .unwrap();
    let downloads = tempfile::tempdir().unwrap();
    let error = apt
        .download(&["tiny".to_owned()], downloads.path())
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "failed to use package `tiny`: apt offers no file for it"
    );
}

#[test]
fn an_unreachable_package_source_is_named() {
    let directory = tempfile::tempdir().unwrap();
    let sources = directory.path().join("closed.list");
    std::fs::write(&sources, "deb [trusted=yes] http://127.0.0.1:9/ ./\n").unwrap();
    let mut apt = Apt::new(&directory.path().join("state"), Some(&sources)).unwrap();
    let error = apt.update().unwrap_err().to_string();
    assert!(error.contains("127.0.0.1:9"), "{error}");
}

#[test]
fn only_whole_releases_of_debian_have_a_contrib_of_their_own() {
    let found = |line| repository(line).map(|found| found.release);
    assert_eq!(
        found("http://deb.debian.org/debian/ bookworm main Debian Packages").as_deref(),
        Some("bookworm")
    );
    for line in [
        "http://deb.debian.org/debian/ bookworm-updates main Debian Packages",
        "http://deb.debian.org/debian/ bookworm main Debian Translations",
        "http://deb.debian.org/debian/ bookworm non-free Debian Packages",
        "https://deb.nodesource.com/node_20.x/ nodistro main . Packages",
        "",
    ] {
        assert_eq!(found(line), None, "{line}");
    }
}
