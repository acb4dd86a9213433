//! Which hosts: names for `ssh`, or an Ansible inventory.
//!
//! An inventory is read as INI, or as the JSON that `ansible-inventory --list` prints (which also reads
//! YAML, folders and plugins). Of a host's variables, `ansible_host`, `ansible_port` and `ansible_user`
//! say where it is; another one that changes how it is reached is refused by name, as it belongs into
//! `~/.ssh/config`, which `ssh` reads itself. Variables of the user's own are skipped.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use stripewise_study::hosts::{HOSTS_MAX, Host, destination_problem};

/// Why hosts cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InventoryError {
    /// A destination that `ssh` must not be called with.
    #[error("host `{host}`: {why}")]
    Destination {
        /// The host.
        host: String,
        /// Why.
        why: &'static str,
    },
    /// A host is named twice.
    #[error("host `{host}` is named twice")]
    Twice {
        /// The host.
        host: String,
    },
    /// There are no hosts, or too many.
    #[error("there are {count} hosts, a run has 1 to {HOSTS_MAX}")]
    Count {
        /// How many there are.
        count: usize,
    },
    /// A line of an INI inventory.
    #[error("line {line}: {why}")]
    Line {
        /// Its number.
        line: usize,
        /// What is wrong.
        why: String,
    },
    /// A variable that changes how a host is reached.
    #[error(
        "host `{host}`: `{variable}` is not read: it changes how the host is reached, which `~/.ssh/config` says"
    )]
    Variable {
        /// The host.
        host: String,
        /// The variable.
        variable: String,
    },
    /// It is no JSON of `ansible-inventory --list`.
    #[error("it is no output of `ansible-inventory --list`: {why}")]
    Json {
        /// Why.
        why: String,
    },
    /// A name is neither a group nor a host of the inventory.
    #[error("`{name}` is neither a group nor a host of the inventory")]
    Unknown {
        /// The name.
        name: String,
    },
}

/// Returns the hosts of a list of names, in their order.
///
/// # Errors
/// If one must not be given to `ssh`, is there twice, or there are none or too many.
pub fn of_names<'a>(names: impl IntoIterator<Item = &'a str>) -> Result<Vec<Host>, InventoryError> {
    checked(
        names
            .into_iter()
            .map(|name| Host::named(name.trim()))
            .collect(),
    )
}

/// Returns the hosts of an inventory, in its order: those that `only` names, groups or hosts, or all.
///
/// # Errors
/// [`InventoryError`].
pub fn read(text: &str, only: &[String]) -> Result<Vec<Host>, InventoryError> {
    let inventory = match text.trim_start().starts_with('{') {
        true => of_json(text)?,
        false => of_ini(text)?,
    };
    let mut wanted = BTreeSet::new();
    for name in only {
        let found = inventory.members(name);
        if found.is_empty() {
            return Err(InventoryError::Unknown { name: name.clone() });
        }
        wanted.extend(found);
    }
    let names = inventory.order.iter();
    let names = names.filter(|name| only.is_empty() || wanted.contains(*name));
    let hosts = names
        .map(|name| inventory.host(name))
        .collect::<Result<_, _>>()?;
    checked(hosts)
}

fn checked(hosts: Vec<Host>) -> Result<Vec<Host>, InventoryError> {
    let mut names = BTreeSet::new();
    for host in &hosts {
        if let Some(why) = destination_problem(&host.destination) {
            let host = host.name.clone();
            return Err(InventoryError::Destination { host, why });
        }
        if !names.insert(&host.name) {
            let host = host.name.clone();
            return Err(InventoryError::Twice { host });
        }
    }
    match hosts.len() {
        1..=HOSTS_MAX => Ok(hosts),
        count => Err(InventoryError::Count { count }),
    }
}

/// The hosts of an inventory with their variables, and its groups.
#[derive(Debug, Default)]
struct Inventory {
    /// The hosts in the order of the file.
    order: Vec<String>,
    variables: BTreeMap<String, BTreeMap<String, String>>,
    /// The hosts of each group.
    hosts: BTreeMap<String, Vec<String>>,
    /// The groups of each group.
    children: BTreeMap<String, Vec<String>>,
    /// The variables of each group.
    of_groups: BTreeMap<String, BTreeMap<String, String>>,
}

impl Inventory {
    fn add(&mut self, group: &str, host: &str) {
        if !self.order.iter().any(|known| known == host) {
            self.order.push(host.to_owned());
        }
        let of_group = self.hosts.entry(group.to_owned()).or_default();
        if !of_group.iter().any(|known| known == host) {
            of_group.push(host.to_owned());
        }
    }

    /// Returns the hosts of a group with those of its children, or the host of that name.
    fn members(&self, name: &str) -> BTreeSet<String> {
        if name == "all" {
            return self.order.iter().cloned().collect();
        }
        let mut groups = vec![name.to_owned()];
        let mut seen = BTreeSet::new();
        let mut members = BTreeSet::new();
        while let Some(group) = groups.pop() {
            // A group may be its own child by mistake.
            if seen.insert(group.clone()) {
                members.extend(self.hosts.get(&group).into_iter().flatten().cloned());
                groups.extend(self.children.get(&group).into_iter().flatten().cloned());
            }
        }
        if members.is_empty() && self.order.iter().any(|host| host == name) {
            members.insert(name.to_owned());
        }
        members
    }

    fn host(&self, name: &str) -> Result<Host, InventoryError> {
        let mut variables: BTreeMap<&str, &str> = BTreeMap::new();
        for (group, of_group) in &self.of_groups {
            if group == "all" || self.members(group).contains(name) {
                variables.extend(
                    of_group
                        .iter()
                        .map(|(key, value)| (key.as_str(), value.as_str())),
                );
            }
        }
        let own = self.variables.get(name).into_iter().flatten();
        variables.extend(own.map(|(key, value)| (key.as_str(), value.as_str())));
        for (variable, value) in &variables {
            if !is_read_or_harmless(variable, value) {
                let (host, variable) = (name.to_owned(), (*variable).to_owned());
                return Err(InventoryError::Variable { host, variable });
            }
        }
        let address = variables.get("ansible_host").copied().unwrap_or(name);
        let user = variables
            .get("ansible_user")
            .map(|user| format!("{user}@"))
            .unwrap_or_default();
        let destination = match variables.get("ansible_port") {
            Some(port) => format!("ssh://{user}{address}:{port}"),
            None => format!("{user}{address}"),
        };
        Ok(Host {
            name: name.to_owned(),
            destination,
        })
    }
}

/// Returns whether a variable is read, or says nothing about how a host is reached.
fn is_read_or_harmless(variable: &str, value: &str) -> bool {
    match variable {
        "ansible_host" | "ansible_port" | "ansible_user" | "ansible_python_interpreter" => true,
        "ansible_connection" => value == "ssh",
        other => !other.starts_with("ansible_"),
    }
}

/// Reads INI: `[group]`, `[group:children]`, `[group:vars]`, and hosts with `key=value`.
fn of_ini(text: &str) -> Result<Inventory, InventoryError> {
    let mut inventory = Inventory::default();
    let (mut group, mut kind) = ("ungrouped".to_owned(), String::new());
    for (index, line) in text.lines().enumerate() {
        let bad = |why: String| InventoryError::Line {
            line: index + 1,
            why,
        };
        // A comment begins a line, or follows a space.
        let line = line.split(" #").next().unwrap_or_default().trim();
        if line.is_empty() || line.starts_with(['#', ';']) {
            continue;
        }
        if line.ends_with(':') {
            let why = format!("`{line}` looks like YAML, which `ansible-inventory --list` reads");
            return Err(bad(why));
        }
        if let Some(section) = line.strip_prefix('[') {
            let section = section
                .strip_suffix(']')
                .ok_or_else(|| bad("`[` without `]`".to_owned()))?;
            let (name, what) = section.split_once(':').unwrap_or((section, ""));
            if !["", "children", "vars"].contains(&what) {
                return Err(bad(format!(
                    "`[{section}]` is not read: `:children` and `:vars` are"
                )));
            }
            (group, kind) = (name.to_owned(), what.to_owned());
            inventory.hosts.entry(group.clone()).or_default();
            continue;
        }
        match kind.as_str() {
            "children" => inventory
                .children
                .entry(group.clone())
                .or_default()
                .push(line.to_owned()),
            "vars" => {
                let (key, value) = line
                    .split_once('=')
                    .ok_or_else(|| bad("a variable is `key=value`".to_owned()))?;
                let of_group = inventory.of_groups.entry(group.clone()).or_default();
                of_group.insert(key.trim().to_owned(), unquoted(value.trim()).to_owned());
            }
            _ => {
                let mut words = line.split_whitespace();
                let pattern = words.next().unwrap_or_default();
                let variables = words.map(|word| match word.split_once('=') {
                    Some((key, value)) => Ok((key.to_owned(), unquoted(value).to_owned())),
                    None => Err(bad(format!(
                        "`{word}` is no `key=value`; values with spaces are not read"
                    ))),
                });
                let variables: BTreeMap<String, String> = variables.collect::<Result<_, _>>()?;
                for host in expanded(pattern).map_err(bad)? {
                    inventory.add(&group, &host);
                    inventory
                        .variables
                        .entry(host)
                        .or_default()
                        .extend(variables.clone());
                }
            }
        }
    }
    Ok(inventory)
}

fn unquoted(value: &str) -> &str {
    let within = |quote| value.strip_prefix(quote)?.strip_suffix(quote);
    within('"').or_else(|| within('\'')).unwrap_or(value)
}

/// Expands `web[01:20]` to its hosts; a step (`[1:9:2]`) and letters are refused.
fn expanded(pattern: &str) -> Result<Vec<String>, String> {
    let Some((before, rest)) = pattern.split_once('[') else {
        return Ok(vec![pattern.to_owned()]);
    };
    let not_read =
        || format!("`{pattern}` is not read: a range is `[FIRST:LAST]` with two numbers");
    let (range, after) = rest.split_once(']').ok_or_else(not_read)?;
    let (first, last) = range.split_once(':').ok_or_else(not_read)?;
    let number = |digits: &str| match digits.bytes().all(|byte| byte.is_ascii_digit()) {
        true => digits.parse::<u32>().map_err(|_| not_read()),
        false => Err(not_read()),
    };
    let (from, to) = (number(first)?, number(last)?);
    let count = usize::try_from(to.saturating_sub(from)).unwrap_or(usize::MAX);
    if to < from || count >= HOSTS_MAX || after.contains('[') {
        return Err(not_read());
    }
    let width = if first.starts_with('0') {
        first.len()
    } else {
        0
    };
    Ok((from..=to)
        .map(|number| format!("{before}{number:0width$}{after}"))
        .collect())
}

/// Reads the output of `ansible-inventory --list`.
fn of_json(text: &str) -> Result<Inventory, InventoryError> {
    let bad = |why: String| InventoryError::Json { why };
    let value: Value = serde_json::from_str(text).map_err(|error| bad(error.to_string()))?;
    let groups = value
        .as_object()
        .ok_or_else(|| bad("it is no object".to_owned()))?;
    let mut inventory = Inventory::default();
    let words = |of: Option<&Value>| -> Vec<String> {
        let all = of.and_then(Value::as_array).into_iter().flatten();
        all.filter_map(|one| one.as_str().map(ToOwned::to_owned))
            .collect()
    };
    for (name, group) in groups.iter().filter(|(name, _)| *name != "_meta") {
        inventory
            .children
            .insert(name.clone(), words(group.get("children")));
        for host in words(group.get("hosts")) {
            inventory.add(name, &host);
        }
        if let Some(variables) = group.get("vars").and_then(Value::as_object) {
            inventory.of_groups.insert(name.clone(), plain(variables));
        }
    }
    let of_hosts = value.pointer("/_meta/hostvars").and_then(Value::as_object);
    for (host, variables) in of_hosts.into_iter().flatten() {
        if let Some(variables) = variables.as_object() {
            inventory.variables.insert(host.clone(), plain(variables));
        }
    }
    if inventory.order.is_empty() {
        return Err(bad("no group has `hosts`".to_owned()));
    }
    Ok(inventory)
}

fn plain(variables: &serde_json::Map<String, Value>) -> BTreeMap<String, String> {
    let text = |value: &Value| match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    variables
        .iter()
        .map(|(key, value)| (key.clone(), text(value)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn shown(hosts: Result<Vec<Host>, InventoryError>) -> String {
        match hosts {
            Ok(hosts) => {
                let lines = hosts
                    .iter()
                    .map(|host| format!("{}={}", host.name, host.destination));
                lines.collect::<Vec<_>>().join(" ")
            }
            Err(error) => format!("error: {error}"),
        }
    }

    const INI: &str = "
        gateway
        [web]
        web[08:10] http_port=80
        big ansible_host=10.0.0.9 ansible_port=2222 # the large one
        [db]
        db1 ansible_user='postgres'
        [fleet:children]
        web
        db
        [web:vars]
        ansible_user=root
    ";

    #[test]
    fn groups_ranges_and_variables_of_ini_are_read() {
        let all = "gateway=gateway web08=root@web08 web09=root@web09 web10=root@web10 \
            big=ssh://root@10.0.0.9:2222 db1=postgres@db1";
        assert_eq!(shown(read(INI, &[])), all);
        assert_eq!(
            shown(read(INI, &["db".to_owned(), "web09".to_owned()])),
            "web09=root@web09 db1=postgres@db1"
        );
        assert_eq!(
            shown(read(INI, &["fleet".to_owned()])),
            all.replace("gateway=gateway ", "")
        );
    }

    #[test]
    fn the_list_of_ansible_inventory_is_read() {
        let json = r#"{"_meta":{"hostvars":{"b":{"ansible_host":"10.0.0.2","ansible_port":22,"x":1}}},
            "all":{"children":["ungrouped","web"]},"ungrouped":{"hosts":["a"]},"web":{"hosts":["b"]}}"#;
        assert_eq!(shown(read(json, &[])), "a=a b=ssh://10.0.0.2:22");
        assert_eq!(
            shown(read(json, &["web".to_owned()])),
            "b=ssh://10.0.0.2:22"
        );
    }

    #[test]
    fn what_is_not_read_is_refused_by_name() {
        let check = |text: &str, expected: &str| {
            assert_eq!(shown(read(text, &[])), format!("error: {expected}"))
        };
        check(
            "a ansible_ssh_common_args=-J",
            "host `a`: `ansible_ssh_common_args` is not read: it changes how the host is reached, which `~/.ssh/config` says",
        );
        check(
            "a ansible_connection=local",
            "host `a`: `ansible_connection` is not read: it changes how the host is reached, which `~/.ssh/config` says",
        );
        check(
            "web[a:c]",
            "line 1: `web[a:c]` is not read: a range is `[FIRST:LAST]` with two numbers",
        );
        check(
            "web[1:999]",
            "line 1: `web[1:999]` is not read: a range is `[FIRST:LAST]` with two numbers",
        );
        check(
            "[x:tags]",
            "line 1: `[x:tags]` is not read: `:children` and `:vars` are",
        );
        check(
            "a b",
            "line 1: `b` is no `key=value`; values with spaces are not read",
        );
        check("", "there are 0 hosts, a run has 1 to 256");
        check(
            "{}",
            "it is no output of `ansible-inventory --list`: no group has `hosts`",
        );
        check(
            "all:\n  hosts:\n    a:\n",
            "line 1: `all:` looks like YAML, which `ansible-inventory --list` reads",
        );
        check(
            "-F",
            "host `-F`: a user or host is empty or begins with `-`",
        );
        assert_eq!(
            shown(of_names(["a", "a"])),
            "error: host `a` is named twice"
        );
        assert_eq!(
            shown(read("a", &["b".to_owned()])),
            "error: `b` is neither a group nor a host of the inventory"
        );
    }

    proptest! {
        #[test]
        fn any_text_is_an_inventory_or_an_error(text in "[\\[\\]:={}a-c0-9 \n\"-]{0,80}") {
            if let Ok(hosts) = read(&text, &[]) {
                prop_assert!(hosts.iter().all(|host| destination_problem(&host.destination).is_none()));
            }
        }
    }
}
