//! Properties of mountinfo: users choose names in it, and mounts hide one another.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use proptest::prelude::*;
use stripewise_machine::{Mount, mount_of, parse_mountinfo};

/// Simulates the kernel: a mount is attached to the mount and the directory that a path leads to.
#[derive(Default)]
struct Kernel {
    children: BTreeMap<(u64, PathBuf), u64>,
    lines: Vec<String>,
}

impl Kernel {
    const ROOT_ID: u64 = 1;

    fn new() -> Self {
        let mut kernel = Self::default();
        kernel
            .lines
            .push("1 0 8:0 / / rw - ext4 /dev/sda rw".to_owned());
        kernel
    }

    /// Looks a path up component by component, crossing each mount met on the way.
    fn lookup(&self, path: &Path) -> u64 {
        let mut id = Self::ROOT_ID;
        let mut walked = PathBuf::new();
        for component in path.components() {
            walked.push(component);
            while let Some(child) = self.children.get(&(id, walked.clone())) {
                id = *child;
            }
        }
        id
    }

    fn mount(&mut self, path: &Path) {
        let id = Self::ROOT_ID + u64::try_from(self.lines.len()).expect("few mounts");
        let parent = self.lookup(path);
        self.children.insert((parent, path.to_owned()), id);
        self.lines.push(format!(
            "{id} {parent} 8:{id} / {} rw - ext4 /dev/sdb rw",
            path.display()
        ));
    }
}

fn path() -> impl Strategy<Value = PathBuf> {
    proptest::collection::vec(prop_oneof!["a", "b", "ab"], 1..4)
        .prop_map(|parts| Path::new("/").join(parts.join("/")))
}

fn field() -> impl Strategy<Value = String> {
    prop_oneof![
        "[0-9]{1,3}",
        Just("8:1".to_owned()),
        Just("-".to_owned()),
        Just("/".to_owned()),
        Just("/a\\040b\\777\\0".to_owned()),
        Just("rw,compress=zstd,".to_owned()),
        "\\PC{0,6}",
        Just(String::new()),
    ]
}

proptest! {
    #[test]
    fn a_path_is_on_the_mount_that_the_kernel_would_find(
        mounted in proptest::collection::vec(path(), 0..8),
        asked in path(),
    ) {
        let mut kernel = Kernel::new();
        for path in &mounted {
            kernel.mount(path);
        }
        let mounts = parse_mountinfo(kernel.lines.join("\n").as_bytes());
        let found = mount_of(&mounts, &asked).map(|mount| mount.id);
        prop_assert_eq!(found, Some(kernel.lookup(&asked)));
    }

    #[test]
    fn any_bytes_are_read_without_panic(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        let mounts = parse_mountinfo(&bytes);
        mount_of(&mounts, Path::new("/a/b"));
    }

    #[test]
    fn any_line_like_a_mount_gives_a_mount_above_the_path(
        lines in proptest::collection::vec(proptest::collection::vec(field(), 4..14), 0..6),
    ) {
        let text: Vec<String> = lines.iter().map(|fields| fields.join(" ")).collect();
        let mounts = parse_mountinfo(text.join("\n").as_bytes());
        let asked = Path::new("/a b/c");
        if let Some(mount) = mount_of(&mounts, asked) {
            prop_assert!(asked.starts_with(&mount.mount_point));
        }
        for Mount { options, source, .. } in &mounts {
            prop_assert!(!source.contains(char::is_control));
            prop_assert!(!options.iter().any(|option| option.contains(char::is_control)));
        }
    }
}
