//! The configuration of OpenLDAP's slapd: which one it reads, and what that loads and uses.

use crate::config::{Config, Grammar, Include, Takes, after, unquoted};
use crate::facts::setting;
use crate::pattern::parts;
use crate::snapshot::{Missing, Snapshot};

/// A directory of configuration, and where modules are without a path.
struct Place {
    folder: &'static str,
    /// The file with the choice between slapd.d and slapd.conf, and its variable.
    choice: (&'static str, &'static str),
}

/// Debian and Ubuntu; and all others.
const PLACES: [Place; 2] = [
    Place {
        folder: "/etc/ldap",
        choice: ("/etc/default/slapd", "SLAPD_CONF"),
    },
    Place {
        folder: "/etc/openldap",
        choice: ("/etc/sysconfig/openldap", "OPENLDAP_CONFIG_BACKEND"),
    },
];

/// Where modules of slapd are: Debian; the 64-bit libraries of openSUSE, Fedora and RHEL; Arch and
/// Alpine.
pub(crate) const MODULE_FOLDERS: [&str; 3] =
    ["/usr/lib/ldap", "/usr/lib64/openldap", "/usr/lib/openldap"];

/// What a slapd is told.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Slapd {
    /// Kinds of databases.
    pub(crate) databases: Vec<String>,
    pub(crate) overlays: Vec<String>,
    /// Names of modules, without path and ending.
    pub(crate) loaded: Vec<String>,
    /// Directories of modules.
    pub(crate) paths: Vec<String>,
    pub(crate) missing: Vec<Missing>,
}

/// slapd.conf(5): `include` takes one file.
const SLAPD_CONF: Grammar = Grammar {
    include: |line| {
        let pattern = unquoted(after(line, "include")?).to_owned();
        Some(Include {
            pattern,
            is_optional: false,
            takes: Takes::One,
        })
    },
    base: None,
    maybe: None,
};

/// Returns the configuration that slapd reads; `None` without one.
pub(crate) fn slapd(facts: &Snapshot) -> Result<Option<Slapd>, Missing> {
    for place in &PLACES {
        let folder = place.folder;
        let ldif = format!("{folder}/slapd.d/cn=config/olcDatabase=*.ldif");
        let modules = format!("{folder}/slapd.d/cn=config/cn=module*.ldif");
        let overlays = format!("{folder}/slapd.d/cn=config/olcDatabase=*/olcOverlay=*.ldif");
        let conf = format!("{folder}/slapd.conf");
        let (file, key) = place.choice;
        let chosen = facts.text(file)?.and_then(|text| setting(text, key));
        let is_conf = match chosen {
            // openSUSE: `files` or `ldap`; Debian: a file, a directory, or nothing.
            Some("files") => true,
            Some(path) if path.starts_with('/') && path != conf && !path.ends_with("slapd.d") => {
                let why = format!("{file} names it, and it is not collected");
                return Err(Missing::new(path, why));
            }
            Some(path) if path == conf => true,
            // slapd(8): -F, then the directory if it is there.
            _ => facts.glob(&ldif)?.is_empty(),
        };
        let config = match is_conf {
            true => Config::read(facts, &[&conf], SLAPD_CONF),
            false => Config::read(facts, &[&ldif, &modules, &overlays], crate::config::PLAIN),
        };
        if !config.is_absent() {
            return Ok(Some(of_lines(config)));
        }
    }
    Ok(None)
}

fn of_lines(config: Config<'_>) -> Slapd {
    let mut found = Slapd {
        missing: config.missing,
        ..Slapd::default()
    };
    for line in config.lines {
        let text = line.text;
        let of = |ldif: &str, conf: &str| {
            let value = match text.get(..ldif.len()) {
                Some(head) if head.eq_ignore_ascii_case(ldif) => &text[ldif.len()..],
                _ => after(text, conf)?,
            };
            // `{1}mdb`: the number is the order.
            let value = unquoted(value.split_whitespace().next()?);
            let value = value.strip_prefix('{').map_or(value, |rest| {
                rest.split_once('}').map_or(value, |(_, name)| name)
            });
            (!value.is_empty()).then(|| value.to_owned())
        };
        if let Some(kind) = of("olcDatabase:", "database") {
            found.databases.push(kind);
        } else if let Some(name) = of("olcOverlay:", "overlay") {
            found.overlays.push(name);
        } else if let Some(path) = of("olcModulePath:", "modulepath") {
            found.paths.extend(path.split(':').map(str::to_owned));
        } else if let Some(module) = of("olcModuleLoad:", "moduleload") {
            let (folder, name) = module.rsplit_once('/').unwrap_or(("", &module));
            let name = name.trim_end_matches(".la").trim_end_matches(".so");
            found.loaded.push(name.to_owned());
            if folder.starts_with('/') {
                found.paths.push(folder.to_owned());
            }
        }
    }
    for list in [&mut found.databases, &mut found.overlays, &mut found.loaded] {
        list.sort();
        list.dedup();
    }
    found
}

/// Returns whether the installed modules are of a slapd without bdb and hdb, which OpenLDAP 2.5
/// removed: `back_mdb-2.6.so.2`.
pub(crate) fn is_without_bdb(facts: &Snapshot) -> Result<bool, Missing> {
    let mut found = Vec::new();
    for folder in MODULE_FOLDERS {
        found.extend(facts.glob(&format!("{folder}/*-2.*.so*"))?);
    }
    let minor = |path: &str| {
        let rest = path.rsplit_once("-2.")?.1;
        rest.split('.').next()?.parse::<u32>().ok()
    };
    Ok(found.into_iter().filter_map(minor).any(|minor| minor >= 5))
}

/// Returns whether a module is installed: `back_mdb.so`, `back_mdb.la`, `back_mdb-2.5.so.0`.
pub(crate) fn is_installed(facts: &Snapshot, slapd: &Slapd, module: &str) -> Result<bool, Missing> {
    let mut has_any = false;
    for folder in MODULE_FOLDERS {
        let mut given = slapd.paths.iter();
        let is_given = given.any(|path| path.trim_end_matches('/') == folder);
        if !slapd.paths.is_empty() && !is_given {
            continue;
        }
        // `/usr/lib` without a directory of modules is no reason to ask for `/usr/lib64`.
        let found = facts.glob(&format!("{folder}/*"))?;
        has_any |= !found.is_empty();
        let is_it = found.iter().any(|path| {
            let name = parts(path).last().unwrap_or_default();
            let rest = name.strip_prefix(module);
            rest.is_some_and(|rest| rest.starts_with(['.', '-']))
        });
        if is_it {
            return Ok(true);
        }
    }
    if let Some(other) = slapd.paths.iter().find(|path| {
        let path = path.trim_end_matches('/');
        !MODULE_FOLDERS.contains(&path)
    }) {
        let why = "slapd loads modules from there, and it is not collected";
        return Err(Missing::new(other.as_str(), why));
    }
    match has_any {
        true => Ok(false),
        false => Err(Missing::new(
            format!("{}/back_*", MODULE_FOLDERS[0]),
            "slapd has no modules there: which databases it has built in is unknown",
        )),
    }
}
