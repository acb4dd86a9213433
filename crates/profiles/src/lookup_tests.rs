//! Guards against a profile from a place that another place should override.

use super::*;

/// Files in memory.
struct Files(BTreeMap<PathBuf, String>);

impl Reader for Files {
    fn read(&self, path: &Path) -> io::Result<Option<String>> {
        match path.ends_with("locked.toml") {
            true => Err(io::ErrorKind::PermissionDenied.into()),
            false => Ok(self.0.get(path).cloned()),
        }
    }

    fn toml_files(&self, folder: &Path) -> Vec<PathBuf> {
        let paths = self.0.keys();
        let inside = paths.filter(|path| path.parent() == Some(folder));
        inside.cloned().collect()
    }
}

/// Returns the shipped profile `name` of a kind, described as `description`.
fn described(kind: ProfileKind, name: &str, description: &str) -> String {
    let shipped = kind.shipped().iter().find(|shipped| shipped.name == name);
    let line = |line: &str| match line.starts_with("description") {
        true => format!("description = \"{description}\""),
        false => line.to_owned(),
    };
    let lines: Vec<String> = shipped.unwrap().text.lines().map(line).collect();
    lines.join("\n")
}

fn places(files: &[(&str, String)]) -> Places<Files> {
    let files = files
        .iter()
        .map(|(path, text)| (PathBuf::from(path), text.clone()));
    Places::new(
        Some(Path::new("mine")),
        Some(Path::new("studies/a.toml")),
        Files(files.collect()),
    )
}

#[test]
fn the_first_place_that_has_a_name_wins() {
    let device = |place: &str| described(ProfileKind::Device, "sata-ssd", place);
    let all = [
        ("mine/devices/sata-ssd.toml", device("mine, by kind")),
        ("mine/sata-ssd.toml", device("mine")),
        ("studies/devices/sata-ssd.toml", device("beside the study")),
    ];
    let place = |files: &[(&str, String)]| {
        let (place, found) = places(files)
            .locate(ProfileKind::Device, "sata-ssd")
            .unwrap();
        (place, found.file)
    };
    assert_eq!(place(&all), (ProfilePlace::Named, all[0].0.to_owned()));
    assert_eq!(place(&all[1..]), (ProfilePlace::Named, all[1].0.to_owned()));
    assert_eq!(place(&all[2..]), (ProfilePlace::Study, all[2].0.to_owned()));
    let shipped = (ProfilePlace::Shipped, "devices/sata-ssd.toml".to_owned());
    assert_eq!(place(&[]), shipped);
    let all = places(&all).all().unwrap();
    assert_eq!(all.devices["sata-ssd"].description, "mine, by kind");
}

#[test]
fn profiles_that_are_not_shipped_are_found_again_by_their_directory() {
    let again = |file: &str| {
        let mut texts = Texts::default();
        let found = |file: &str| FoundProfile {
            file: file.to_owned(),
            text: String::new(),
        };
        texts
            .devices
            .insert("sata-ssd".to_owned(), found("devices/sata-ssd.toml"));
        texts.devices.insert("own".to_owned(), found(file));
        texts.directory().map(|path| path.display().to_string())
    };
    for (file, directory) in [
        ("/srv/mine/devices/own.toml", "/srv/mine"),
        ("/srv/mine/own.toml", "/srv/mine"),
        ("mine/own.toml", "mine"),
        ("devices/own.toml", "."),
        ("own.toml", "."),
    ] {
        assert_eq!(again(file).as_deref(), Some(directory), "{file}");
    }
    let mut texts = Texts::default();
    let shipped = places(&[]).locate(ProfileKind::Host, "lab").unwrap().1;
    texts.hosts.insert("lab".to_owned(), shipped);
    assert_eq!(texts.directory(), None);
}

#[test]
fn a_directory_of_both_kinds_recognises_hosts_by_their_cpu() {
    let host = described(ProfileKind::Host, "lab", "mine");
    let places = places(&[("mine/rig.toml", host.replace("\"lab\"", "\"rig\""))]);
    assert!(places.names(ProfileKind::Host).contains("rig"));
    assert!(!places.names(ProfileKind::Device).contains("rig"));
    assert_eq!(places.all().unwrap().hosts["rig"].description, "mine");
}

#[test]
fn errors_name_the_profile_and_the_remedy() {
    let other = described(ProfileKind::Device, "sata-ssd", "mine");
    let places = places(&[
        ("mine/devices/disk.toml", other),
        ("mine/devices/empty.toml", "schema = 1".to_owned()),
    ]);
    let error = |name: &str| match places.locate(ProfileKind::Device, name) {
        Err(error) => error,
        Ok((_, found)) => {
            let mut texts = Texts::default();
            texts.devices.insert(name.to_owned(), found);
            texts.parse().unwrap_err()
        }
    };
    for (name, message, hint) in [
        (
            "../disk",
            "is not a valid name for a device profile",
            "use letters",
        ),
        (
            "sata-sdd",
            "there is no device profile `sata-sdd`",
            "`sata-ssd`",
        ),
        (
            "disk",
            "has `name = \"sata-ssd\"`, which is not the name of the file",
            "rename the file",
        ),
        (
            "empty",
            "failed to read device profile `empty`",
            "docs/profiles.md",
        ),
        (
            "locked",
            "failed to read profile `mine/devices/locked.toml`",
            "",
        ),
    ] {
        let error = error(name);
        assert!(error.to_string().contains(message), "{name}: {error}");
        assert!(
            error.hint().unwrap_or_default().contains(hint),
            "{name}: {:?}",
            error.hint()
        );
    }
}
