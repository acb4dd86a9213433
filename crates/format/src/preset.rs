//! The shipped workloads: `workloads/` at the root of the workspace. A study takes the keys of one
//! with `from = "oltp"`.
//!
//! They are embedded as text and parsed on request. Each is a `[workload]` of a study, with a
//! description, its source and what is assumed. Its neighbours are shipped workloads, too.

use toml_edit::{DocumentMut, Item};

/// A workload embedded when the program was built.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Preset {
    /// Its name, equal to its file's.
    pub name: &'static str,
    /// The file, from the root of the workspace.
    pub file: &'static str,
    /// The text of the file.
    pub text: &'static str,
}

/// Returns the workload `name`.
macro_rules! shipped {
    ($name:literal) => {
        Preset {
            name: $name,
            file: concat!("workloads/", $name, ".toml"),
            text: include_str!(concat!("../../../workloads/", $name, ".toml")),
        }
    };
}

/// The shipped workloads, by name.
pub const PRESETS: &[Preset] = &[
    shipped!("as-ssd-4k"),
    shipped!("as-ssd-4k-64"),
    shipped!("as-ssd-seq"),
    shipped!("atto"),
    shipped!("backup"),
    shipped!("badblocks"),
    shipped!("bench-sh"),
    shipped!("cdm-rnd4k-q1t1"),
    shipped!("cdm-rnd4k-q32t1"),
    shipped!("cdm-seq1m-q1t1"),
    shipped!("cdm-seq1m-q8t1"),
    shipped!("dd-direct"),
    shipped!("dd-fdatasync"),
    shipped!("f3read"),
    shipped!("f3write"),
    shipped!("feed-updater"),
    shipped!("feed-updater-pages"),
    shipped!("fileserver"),
    shipped!("gnome-disks"),
    shipped!("gnome-disks-access"),
    shipped!("hd-tune"),
    shipped!("hd-tune-access"),
    shipped!("hdparm-t"),
    shipped!("mail"),
    shipped!("mysql-in-vm"),
    shipped!("mysql-in-vm-log"),
    shipped!("oltp"),
    shipped!("oltp-log"),
    shipped!("phoronix-fio-rand"),
    shipped!("phoronix-fio-seq"),
    shipped!("snia-iops"),
    shipped!("snia-latency"),
    shipped!("snia-throughput"),
    shipped!("system"),
    shipped!("video"),
    shipped!("video-import"),
    shipped!("vm-host"),
    shipped!("yabs"),
];

impl Preset {
    /// Returns the workload called `name`.
    pub fn named(name: &str) -> Option<&'static Self> {
        PRESETS.iter().find(|preset| preset.name == name)
    }

    /// Returns the names of all.
    pub fn names() -> Vec<&'static str> {
        PRESETS.iter().map(|preset| preset.name).collect()
    }

    /// Returns what it is, in one line.
    pub fn description(&self) -> String {
        self.words("description")
    }

    /// Returns where its numbers come from.
    pub fn source(&self) -> String {
        self.words("source")
    }

    /// Returns what is assumed, one sentence each.
    pub fn assumed(&self) -> Vec<String> {
        let document = self.document();
        let sentences = document.get("assumed").and_then(Item::as_array);
        let sentences = sentences.into_iter().flatten();
        let sentences = sentences.filter_map(|sentence| sentence.as_str().map(str::to_owned));
        sentences.collect()
    }

    /// Returns the text of a study of it on an existing filesystem.
    pub fn study(&self) -> String {
        format!("[stack.here]\n[workload]\nfrom = \"{}\"\n", self.name)
    }

    /// Returns the keys of its workload with their values, which have no place in a file.
    pub(crate) fn keys(&self) -> Vec<(String, Item)> {
        let document = self.document();
        let keys = document.get("workload").and_then(Item::as_table_like);
        let keys = keys.into_iter().flat_map(|table| table.iter());
        keys.map(|(key, item)| (key.to_owned(), item.clone()))
            .collect()
    }

    fn words(&self, key: &str) -> String {
        let document = self.document();
        let words = document.get(key).and_then(Item::as_str);
        words.unwrap_or_default().to_owned()
    }

    /// A test parses every text, so none is empty here.
    fn document(&self) -> DocumentMut {
        self.text.parse().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::Path;

    use super::*;
    use crate::parse;

    #[test]
    fn every_file_is_embedded_and_described_and_expands_to_cells() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../workloads");
        let files = std::fs::read_dir(folder).unwrap();
        let files = files.map(|file| file.unwrap().path().file_stem().unwrap().to_owned());
        let files: BTreeSet<String> = files.map(|name| name.into_string().unwrap()).collect();
        let names: Vec<String> = files.into_iter().collect();
        assert_eq!(Preset::names(), names, "src/preset.rs lists workloads/");
        for preset in PRESETS {
            let document: DocumentMut = preset.text.parse().unwrap();
            let keys: Vec<&str> = document.iter().map(|(key, _)| key).collect();
            assert_eq!(keys, ["description", "source", "assumed", "workload"]);
            let description = preset.description();
            assert!(description.chars().count() <= 78, "{description}");
            assert!(preset.source().len() > 20, "{}", preset.name);
            assert!(!preset.assumed().is_empty(), "{}", preset.name);
            let usage = format!("from = \"{}\"", preset.name);
            assert!(preset.text.contains(&usage), "{}", preset.name);

            let short = parse(preset.name, &preset.study()).unwrap();
            // The fragment is a study's own: pasted without its description, it says the same.
            let (_, keys) = preset.text.split_once("[workload]\n").unwrap();
            let long = format!("[stack.here]\n[workload]\n{keys}");
            assert_eq!(parse("long", &long).unwrap().cells, short.cells);
        }
    }
}
