//! The configuration of Apache HTTP Server, and which of its lines count.

use crate::config::{Config, Grammar, Include, Line, PLAIN, Takes, after, unquoted};
use crate::facts::directives;
use crate::snapshot::{Missing, Snapshot};

/// Main files, each with the directory from which it includes others: Debian; SUSE and Alpine;
/// Fedora, RHEL and Arch.
const MAIN: [(&str, Grammar); 3] = [
    ("/etc/apache2/apache2.conf", grammar("/etc/apache2")),
    ("/etc/apache2/httpd.conf", grammar("/etc/apache2")),
    ("/etc/httpd/conf/httpd.conf", grammar("/etc/httpd")),
];

/// What the main files of distributions include, for a tree whose main file does not.
const PARTS: [&str; 8] = [
    "/etc/apache2/mods-enabled/*.load",
    "/etc/apache2/mods-enabled/*.conf",
    "/etc/apache2/conf-enabled/*",
    "/etc/apache2/sites-enabled/*",
    "/etc/apache2/conf.d/*.conf",
    "/etc/apache2/vhosts.d/*.conf",
    "/etc/httpd/conf.modules.d/*.conf",
    "/etc/httpd/conf.d/*.conf",
];

/// core, Include and IncludeOptional.
const fn grammar(base: &'static str) -> Grammar {
    Grammar {
        include: |line| {
            let optional = after(line, "IncludeOptional");
            let pattern = optional.or_else(|| after(line, "Include"))?;
            Some(Include {
                pattern: unquoted(pattern).to_owned(),
                is_optional: optional.is_some(),
                takes: Takes::Matching,
            })
        },
        base: Some(base),
        // SUSE: `<IfDefine !SYSCONFIG>` around files that its start script names instead.
        maybe: Some(("<IfDefine", "</IfDefine>")),
    }
}

/// The configuration, and the modules that it loads.
#[derive(Debug, Clone, Default)]
pub(crate) struct Apache<'a> {
    pub(crate) config: Config<'a>,
    modules: Vec<String>,
}

/// A line, and where it counts.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PlacedLine<'a> {
    pub(crate) line: Line<'a>,
    /// The section that holds it, by its number; 0 for none.
    pub(crate) place: usize,
    /// Whether all conditions around it are known to be true.
    pub(crate) is_sure: bool,
    /// Whether it asks for `mod_access_compat` first.
    pub(crate) is_guarded: bool,
}

/// Returns the configuration; `None` without one.
pub(crate) fn apache(facts: &Snapshot) -> Result<Option<Apache<'_>>, Missing> {
    let mut config = Config::default();
    for (path, grammar) in MAIN {
        if facts.text(path)?.is_some() {
            config = Config::read(facts, &[path], grammar);
            break;
        }
    }
    let config = config.or_parts(facts, &PARTS, PLAIN);
    if config.is_absent() {
        return Ok(None);
    }
    let mut modules = Vec::new();
    for line in &config.lines {
        let name = after(line.text, "LoadModule").and_then(|rest| rest.split_whitespace().next());
        modules.extend(name.map(|name| base_name(name).to_owned()));
    }
    let loads = config.files.iter().filter_map(|path| {
        let name = path.strip_suffix(".load")?;
        name.rsplit('/').next()
    });
    modules.extend(loads.map(str::to_owned));
    // SUSE makes the list of modules from this variable when it starts Apache.
    let sysconfig = facts.text("/etc/sysconfig/apache2")?.unwrap_or_default();
    for line in directives(sysconfig) {
        if let Some(names) = after(line, "APACHE_MODULES") {
            let names = unquoted(names.trim_start_matches('='));
            modules.extend(names.split_whitespace().map(str::to_owned));
        }
    }
    Ok(Some(Apache { config, modules }))
}

/// Returns `php` of `mod_php.c` and `php_module`, by which `IfModule` knows a module.
fn base_name(name: &str) -> &str {
    let name = name.strip_prefix("mod_").unwrap_or(name);
    let name = name.strip_suffix(".c").unwrap_or(name);
    name.strip_suffix("_module").unwrap_or(name)
}

/// Modules that Apache 2.4 has wherever it has access rules.
const ALWAYS: [&str; 6] = ["core", "so", "authz_core", "authz_host", "unixd", "version"];
const COMPAT: &str = "access_compat";

impl<'a> Apache<'a> {
    pub(crate) fn has_compat(&self) -> bool {
        self.modules.iter().any(|module| module == COMPAT)
    }

    /// Returns the lines that count, or may count because a condition is not known.
    pub(crate) fn placed<'b>(&self, lines: &'b [Line<'b>]) -> Vec<PlacedLine<'b>> {
        let (mut found, mut open, mut count): (Vec<PlacedLine<'b>>, Vec<Section>, usize) =
            (Vec::new(), Vec::new(), 0);
        for line in lines {
            let Some(tag) = line.text.strip_prefix('<') else {
                if open.iter().all(|section| section.holds != Some(false)) {
                    let place = open.iter().rev().find(|section| section.number > 0);
                    found.push(PlacedLine {
                        line: *line,
                        place: place.map_or(0, |section| section.number),
                        is_sure: open.iter().all(|section| section.holds == Some(true)),
                        is_guarded: open.iter().any(|section| section.is_guard),
                    });
                }
                continue;
            };
            let tag = tag.trim_end_matches('>').trim();
            if let Some(name) = tag.strip_prefix('/') {
                let name = name.trim().to_ascii_lowercase();
                let at = open.iter().rposition(|section| section.name == name);
                open.truncate(at.unwrap_or(open.len()));
                continue;
            }
            count += 1;
            open.push(self.section(tag, count));
        }
        found
    }

    fn section(&self, tag: &str, count: usize) -> Section {
        let (name, argument) = tag.split_once(char::is_whitespace).unwrap_or((tag, ""));
        let name = name.to_ascii_lowercase();
        let argument = unquoted(argument);
        let (holds, number) = match name.as_str() {
            "ifmodule" => (self.holds(argument), 0),
            "ifversion" => (is_version(argument), 0),
            // All that begin with `If` are conditions of the start, but `<If>`, `<ElseIf>`, `<Else>`.
            "ifdefine" | "ifdirective" | "ifsection" | "iffile" => (None, 0),
            // `RequireAny` and the like hold `Require` of the same place.
            name if name.starts_with("require") => (Some(true), 0),
            _ => (Some(true), count),
        };
        let is_guard = name == "ifmodule" && base_name(argument) == COMPAT;
        Section {
            name,
            holds,
            number,
            is_guard,
        }
    }

    /// Returns whether the condition of an `IfModule` is true; `None` if the module may be built in.
    fn holds(&self, argument: &str) -> Option<bool> {
        let (name, is_not) = match argument.strip_prefix('!') {
            Some(name) => (name.trim(), true),
            None => (argument, false),
        };
        let name = base_name(name);
        let is_loaded = match name {
            COMPAT => Some(self.has_compat()),
            name if ALWAYS.contains(&name) => Some(true),
            name if self.modules.iter().any(|module| module == name) => Some(true),
            _ => None,
        };
        is_loaded.map(|is_loaded| is_loaded != is_not)
    }
}

/// A section that is open.
struct Section {
    name: String,
    /// Whether what it holds counts; `None` if that is not known.
    holds: Option<bool>,
    /// Its number, for one that is a place of its own; 0 for a condition.
    number: usize,
    is_guard: bool,
}

/// Returns whether `>= 2.4` is true of an Apache 2.4 whose last number is not known.
fn is_version(argument: &str) -> Option<bool> {
    let (argument, is_not) = match argument.strip_prefix('!') {
        Some(rest) if !rest.starts_with('=') => (rest.trim(), true),
        _ => (argument, false),
    };
    let end = argument.find(|c: char| c.is_ascii_digit())?;
    let operator = argument[..end].trim();
    let mut numbers = argument[end..].split('.').map(str::parse::<u32>);
    let given = (numbers.next()?.ok()?, numbers.next().unwrap_or(Ok(0)).ok()?);
    let order = match (given.cmp(&(2, 4)), numbers.next()) {
        (std::cmp::Ordering::Equal, Some(_)) => return None,
        // 2.4 is 2.4.0, and ours is later.
        (std::cmp::Ordering::Equal, None) => std::cmp::Ordering::Less,
        (order, _) => order,
    };
    let holds = match operator {
        "" | "=" | "==" => false,
        "!=" => true,
        ">" | ">=" => order.is_lt(),
        "<" | "<=" => order.is_gt(),
        _ => return None,
    };
    Some(holds != is_not)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::lines_of;

    #[test]
    fn conditions_decide_which_lines_count() {
        let text = "a\n<IfModule mod_authz_core.c>\nb\n</IfModule>\n<IfModule !mod_authz_core.c>\nc\n</IfModule>\n\
            <IfModule mod_access_compat.c>\nd\n</IfModule>\n<IfVersion < 2.4>\ne\n</IfVersion>\n\
            <IfVersion >= 2.4>\nf\n</IfVersion>\n<IfModule mod_x.c>\ng\n</IfModule>\n\
            <Directory /a>\n<RequireAny>\nh\n</RequireAny>\n</Directory>\ni\n";
        let lines: Vec<Line<'_>> = lines_of("x", text).collect();
        let of = |apache: &Apache<'_>| {
            let placed = apache.placed(&lines);
            let placed = placed.iter();
            placed
                .map(|one| (one.line.text.to_owned(), one.place > 0, one.is_sure))
                .collect::<Vec<_>>()
        };
        let expected = |names: &[(&str, bool, bool)]| {
            let names = names.iter();
            names
                .map(|(name, placed, sure)| ((*name).to_owned(), *placed, *sure))
                .collect::<Vec<_>>()
        };
        let mut apache = Apache::default();
        let without = [
            ("a", false, true),
            ("b", false, true),
            ("f", false, true),
            ("g", false, false),
            ("h", true, true),
            ("i", false, true),
        ];
        assert_eq!(of(&apache), expected(&without));
        apache.modules = vec!["access_compat".to_owned(), "x".to_owned()];
        let with = [
            ("a", false, true),
            ("b", false, true),
            ("d", false, true),
            ("f", false, true),
            ("g", false, true),
            ("h", true, true),
            ("i", false, true),
        ];
        assert_eq!(of(&apache), expected(&with));
    }

    #[test]
    fn versions_are_compared_with_2_4() {
        for (argument, expected) in [
            (">= 2.4", Some(true)),
            ("< 2.4", Some(false)),
            ("<2.3", Some(false)),
            ("!>= 2.4", Some(false)),
            ("2.2", Some(false)),
            ("!= 2.2", Some(true)),
            (">= 2.4.49", None),
            ("~ 2.4", None),
            ("> 2.6", Some(false)),
        ] {
            assert_eq!(is_version(argument), expected, "{argument}");
        }
    }
}
