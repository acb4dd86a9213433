//! The settings of LVM: sections in braces, arrays over several lines, `section/key = value`
//! (lvm.conf(5); lvm2's libdm/libdm-config.c, `_section` and `_value`).
//!
//! Within a file the last one wins, and lvmlocal.conf wins over lvm.conf.

use std::collections::BTreeMap;

use crate::snapshot::{Missing, Snapshot};

/// What LVM reads, the last wins.
const FILES: [&str; 2] = ["/etc/lvm/lvm.conf", "/etc/lvm/lvmlocal.conf"];
/// How deep sections may be.
const DEPTH_MAX: usize = 16;

/// Settings by section and key: `devices/filter`.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct LvmConf {
    settings: BTreeMap<String, Vec<String>>,
}

impl LvmConf {
    /// Reads the configuration; `None` without any.
    ///
    /// # Errors
    /// If a file could not be read, LVM refuses it, or LVM reads files of host tags, too.
    pub(crate) fn read(facts: &Snapshot) -> Result<Option<Self>, Missing> {
        let mut conf = Self::default();
        let mut has_any = false;
        for file in FILES {
            let Some(text) = facts.text(file)? else {
                continue;
            };
            has_any = true;
            let refused = |at: usize| {
                let line = text[..at].lines().count().max(1);
                Missing::new(file, format!("LVM cannot read it from line {line} on"))
            };
            let mut parser = Parser { text, at: 0 };
            let read = parser.section("", 0, &mut conf.settings);
            read.ok_or_else(|| refused(parser.at))?;
        }
        // Without a section, LVM takes it for nothing; older collections kept no sections.
        if let Some(key) = conf.settings.keys().find(|key| !key.contains('/')) {
            let why = format!("`{key}` stands in no section");
            return Err(Missing::new(FILES[0], why));
        }
        if let Some(key) = conf.settings.keys().find(|key| key.starts_with("tags/")) {
            let why = format!("`{key}`: LVM reads the files of this host's tags, too");
            return Err(Missing::new("/etc/lvm/lvm_*.conf", why));
        }
        Ok(has_any.then_some(conf))
    }

    /// Returns the values of a setting.
    pub(crate) fn values(&self, key: &str) -> &[String] {
        self.settings.get(key).map_or(&[], Vec::as_slice)
    }

    /// Returns a setting with one value.
    pub(crate) fn value(&self, key: &str) -> Option<&str> {
        self.values(key).first().map(String::as_str)
    }
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Parser<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    /// Skips space and comments.
    fn skip(&mut self) {
        loop {
            let rest = self.rest();
            let trimmed = rest.trim_start();
            self.at += rest.len() - trimmed.len();
            if !trimmed.starts_with('#') {
                return;
            }
            self.at += trimmed.find('\n').unwrap_or(trimmed.len());
        }
    }

    /// Takes a character if it comes next.
    fn take(&mut self, c: char) -> bool {
        self.skip();
        let is_next = self.rest().starts_with(c);
        self.at += if is_next { c.len_utf8() } else { 0 };
        is_next
    }

    /// Reads settings up to the closing brace, or the end of the file; `None` where LVM would stop.
    fn section(
        &mut self,
        above: &str,
        depth: usize,
        settings: &mut BTreeMap<String, Vec<String>>,
    ) -> Option<()> {
        loop {
            self.skip();
            if self.rest().is_empty() {
                return (depth == 0).then_some(());
            }
            if depth > 0 && self.take('}') {
                return Some(());
            }
            let key = self.key()?;
            let key = match above {
                "" => key,
                above => format!("{above}/{key}"),
            };
            if self.take('{') {
                if depth == DEPTH_MAX {
                    return None;
                }
                self.section(&key, depth + 1, settings)?;
            } else if self.take('=') {
                let values = self.values()?;
                settings.insert(key, values);
            } else {
                return None;
            }
        }
    }

    fn key(&mut self) -> Option<String> {
        if self.rest().starts_with(['"', '\'']) {
            return self.string();
        }
        self.word()
    }

    fn word(&mut self) -> Option<String> {
        let rest = self.rest();
        let ends = |c: char| c.is_whitespace() || "{}[]=,\"'#".contains(c);
        let end = rest.find(ends).unwrap_or(rest.len());
        self.at += end;
        (end > 0).then(|| rest[..end].to_owned())
    }

    fn values(&mut self) -> Option<Vec<String>> {
        if !self.take('[') {
            return Some(vec![self.one()?]);
        }
        let mut values = Vec::new();
        loop {
            if self.take(']') {
                return Some(values);
            }
            values.push(self.one()?);
            self.take(',');
        }
    }

    /// Reads a string, a number, or a word, which is a string.
    fn one(&mut self) -> Option<String> {
        self.skip();
        if self.rest().starts_with(['"', '\'']) {
            return self.string();
        }
        self.word()
    }

    /// Reads a string in quotes; a backslash counts between double ones.
    fn string(&mut self) -> Option<String> {
        let mut chars = self.rest().char_indices();
        let (_, quote) = chars.next()?;
        let mut value = String::new();
        while let Some((at, c)) = chars.next() {
            match c {
                c if c == quote => {
                    self.at += at + 1;
                    return Some(value);
                }
                '\\' if quote == '"' => match chars.next()? {
                    (_, next @ ('"' | '\\')) => value.push(next),
                    (_, next) => value.extend(['\\', next]),
                },
                c => value.push(c),
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, local: &str) -> Result<Option<LvmConf>, Missing> {
        let facts = Snapshot::of_files([(FILES[0], text), (FILES[1], local)]);
        LvmConf::read(&facts)
    }

    /// A text, a setting, and its values; `None` where LVM refuses the file.
    type Read = (&'static str, &'static str, Option<&'static [&'static str]>);
    const READ: [Read; 11] = [
        (
            "devices {\n filter = [ \"a|/dev/sda|\", # x \"\n  'r|.*|' ]\n}\n",
            "devices/filter",
            Some(&["a|/dev/sda|", "r|.*|"]),
        ),
        (
            "devices{filter=\"a\\\"b\"}",
            "devices/filter",
            Some(&["a\"b"]),
        ),
        (
            "devices{filter='a\\\"b'}",
            "devices/filter",
            Some(&["a\\\"b"]),
        ),
        (
            "activation/thin_pool_autoextend_threshold = 70\n",
            "activation/thin_pool_autoextend_threshold",
            Some(&["70"]),
        ),
        (
            "devices { use_devicesfile = 0 }\ndevices { use_devicesfile=1 dir=\"/dev\" }",
            "devices/use_devicesfile",
            Some(&["1"]),
        ),
        ("devices { filter = [] }", "devices/filter", Some(&[])),
        (
            "devices { filter = [ \"a|x|\", ] }",
            "devices/filter",
            Some(&["a|x|"]),
        ),
        ("devices { filter = yes }", "devices/filter", Some(&["yes"])),
        ("devices { filter = \"a\"", "devices/filter", None),
        (
            "devices { filter = [ \"a|x|\" \"b\" ] }",
            "devices/filter",
            Some(&["a|x|", "b"]),
        ),
        ("devices { filter \"a\" }", "devices/filter", None),
    ];

    #[test]
    fn settings_are_read_as_lvm_reads_them() {
        for (text, key, expected) in READ {
            let conf = read(text, "").ok().flatten();
            let values = conf.as_ref().map(|conf| conf.values(key));
            assert_eq!(values.map(<[_]>::to_vec), expected.map(owned), "{text}");
        }
    }

    fn owned(words: &[&str]) -> Vec<String> {
        words.iter().map(|word| (*word).to_owned()).collect()
    }

    /// `lvmconfig` prints the values of a configuration, and refuses what LVM refuses.
    #[test]
    fn lvm_itself_reads_them_so() {
        let lvmconfig = std::path::Path::new("/usr/sbin/lvmconfig");
        if !lvmconfig.exists() {
            println!("SKIPPED: settings of LVM: lvm2 is not installed");
            return;
        }
        for (text, key, expected) in READ {
            let folder = tempfile::tempdir().unwrap();
            std::fs::write(folder.path().join("lvm.conf"), text).unwrap();
            let ran = std::process::Command::new(lvmconfig)
                .env("LVM_SYSTEM_DIR", folder.path())
                .env("LVM_SUPPRESS_FD_WARNINGS", "1")
                .arg(key)
                .output()
                .unwrap();
            let printed = String::from_utf8(ran.stdout).unwrap();
            let printed = ran.status.success().then_some(printed);
            let line = expected.map(|values| {
                let quoted = |value: &&str| match value.parse::<u32>() {
                    Ok(_) => (*value).to_owned(),
                    Err(_) => {
                        let value = value.replace('\\', "\\\\").replace('"', "\\\"");
                        format!("\"{value}\"")
                    }
                };
                let values: Vec<String> = values.iter().map(quoted).collect();
                let name = key.rsplit('/').next().unwrap();
                match values.len() {
                    1 => format!("{name}={}\n", values[0]),
                    _ => format!("{name}=[{}]\n", values.join(",")),
                }
            });
            assert_eq!(printed, line, "{text}");
        }
    }

    #[test]
    fn lvmlocal_wins_and_what_is_unclear_is_missing() {
        let conf = read("a { b = 1 c = 2 }", "a { b = 3 }").unwrap().unwrap();
        assert_eq!(
            (conf.value("a/b"), conf.value("a/c")),
            (Some("3"), Some("2"))
        );
        assert!(read("use_lvmetad = 1\n", "").is_err(), "no section");
        let why = read("tags { hosttags = 1 }", "").unwrap_err().why;
        assert!(why.contains("tags/hosttags"), "{why}");
        assert_eq!(LvmConf::read(&Snapshot::of_files([])), Ok(None));
    }
}
