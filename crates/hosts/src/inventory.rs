//! Which hosts: names for `ssh`, or an Ansible inventory.
//!
//! An inventory is read as INI, or as the JSON that `ansible-inventory --list` prints (which also reads
//! YAML, folders and plugins) or a script for Ansible. Of a host's variables, `ansible_host`,
//! `ansible_port` and `ansible_user` say where it is, also as `ansible_ssh_host` and so on; another one that
//! changes how it is reached is refused by name, as it belongs into `~/.ssh/config`, which `ssh` reads
//! itself. Variables of the user's own are skipped, and those about what Ansible does once it is there.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use stripewise_study::hosts::{HOSTS_MAX, Host, destination_problem};

use crate::destination::{expanded, named, of_parts, port_problem, split_port};

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
    /// A range of names that cannot be read.
    #[error("{why}")]
    Range {
        /// Why.
        why: String,
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
        "host `{host}`: `{variable}` is not read: it changes how the host is reached; {instead}"
    )]
    Variable {
        /// The host.
        host: String,
        /// The variable.
        variable: String,
        /// What to do instead.
        instead: &'static str,
    },
    /// Two names of one variable with two values.
    #[error("host `{host}`: `{}` and `{}` differ: leave one out", names[0], names[1])]
    TwoValues {
        /// The host.
        host: String,
        /// The names.
        names: [&'static str; 2],
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
    let mut hosts = Vec::new();
    for name in names {
        let all = expanded(name.trim()).map_err(|why| InventoryError::Range { why })?;
        hosts.extend(all.iter().map(|name| named(name)));
    }
    checked(hosts)
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
        let why = destination_problem(&host.destination);
        if let Some(why) = why.or_else(|| port_problem(&host.destination)) {
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
        for group in self.groups_outer_first() {
            let Some(of_group) = self.of_groups.get(group) else {
                continue;
            };
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
            if let Some(instead) = refused(variable, value) {
                let (host, variable) = (name.to_owned(), (*variable).to_owned());
                return Err(InventoryError::Variable {
                    host,
                    variable,
                    instead,
                });
            }
        }
        let find = |names: [&'static str; 2]| match names.map(|one| variables.get(one).copied()) {
            [Some(left), Some(right)] if left != right => Err(InventoryError::TwoValues {
                host: name.to_owned(),
                names,
            }),
            [left, right] => Ok(left.or(right)),
        };
        let address = find(["ansible_host", "ansible_ssh_host"])?.unwrap_or(name);
        let (address, named_port) = split_port(address);
        let user = find(["ansible_user", "ansible_ssh_user"])?;
        let port = find(["ansible_port", "ansible_ssh_port"])?.or(named_port);
        Ok(Host {
            name: name.to_owned(),
            destination: of_parts(user, address, port),
        })
    }

    /// Returns the groups, each after those that it is in: what a smaller group says counts more, as in
    /// Ansible, and of two as deep the later name.
    fn groups_outer_first(&self) -> Vec<&str> {
        let mut depths: BTreeMap<&str, usize> = BTreeMap::new();
        // A group may be its own child by mistake: no depth exceeds the number of groups.
        for _ in 0..=self.children.len() {
            for (parent, children) in &self.children {
                let below = match parent.as_str() {
                    "all" => 1,
                    parent => depths.get(parent).copied().unwrap_or(1) + 1,
                };
                for child in children {
                    let depth = depths.entry(child).or_insert(1);
                    *depth = below.max(*depth);
                }
            }
        }
        let mut groups: Vec<&str> = self.of_groups.keys().map(String::as_str).collect();
        groups.sort_by_key(|group| match *group {
            "all" => (0, *group),
            group => (depths.get(group).copied().unwrap_or(1), group),
        });
        groups
    }
}

/// Returns what to do instead of a variable that changes how a host is reached and is not read.
fn refused(variable: &str, value: &str) -> Option<&'static str> {
    let ours = |of: &str| matches!(of, "host" | "port" | "user");
    let ansible = variable.strip_prefix("ansible_")?;
    match ansible {
        of if ours(of) || of.strip_prefix("ssh_").is_some_and(ours) => None,
        // What it does there, not how it gets there.
        of if of.ends_with("_interpreter") || of.starts_with("become") => None,
        "shell_type" | "shell_executable" | "remote_tmp" | "ssh_pipelining" | "pipelining" => None,
        "connection" => match value {
            "ssh" | "smart" => None,
            _ => Some("only `ssh` is used"),
        },
        "private_key_file" | "ssh_private_key_file" => {
            Some("say it as `IdentityFile` in `~/.ssh/config`, or load the key with `ssh-add`")
        }
        "password" | "ssh_pass" | "ssh_password" => {
            Some("passwords are not used: a key in your agent is (`ssh-copy-id`, `ssh-add`)")
        }
        "ssh_common_args" | "ssh_extra_args" | "ssh_args" => Some(
            "say it in `~/.ssh/config`, such as `ProxyJump`; host keys are always checked, whatever it says",
        ),
        _ => Some("say it in `~/.ssh/config`"),
    }
}

/// Reads INI: `[group]`, `[group:children]`, `[group:vars]`, and hosts with `key=value`.
fn of_ini(text: &str) -> Result<Inventory, InventoryError> {
    let mut inventory = Inventory::default();
    let (mut group, mut kind) = ("ungrouped".to_owned(), "");
    // Where each group was named whose hosts may follow.
    let mut named: Vec<(usize, String, String)> = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let line_number = index + 1;
        let bad = |why: String| InventoryError::Line {
            line: line_number,
            why,
        };
        let line = line.trim();
        if line.is_empty() || line.starts_with(['#', ';']) {
            continue;
        }
        if let Some((name, what)) = section(line).map_err(bad)? {
            if what == "vars" {
                named.push((line_number, name.to_owned(), format!("[{name}:vars]")));
            } else {
                inventory.hosts.entry(name.to_owned()).or_default();
            }
            (group, kind) = (name.to_owned(), what);
            continue;
        }
        match kind {
            "children" => {
                let child = line.split(" #").next().unwrap_or_default().trim();
                named.push((line_number, child.to_owned(), format!("[{group}:children]")));
                let children = inventory.children.entry(group.clone()).or_default();
                children.push(child.to_owned());
            }
            "vars" => {
                let line = line.split(" #").next().unwrap_or_default();
                let (key, value) = line
                    .split_once('=')
                    .ok_or_else(|| bad("a variable is `key=value`".to_owned()))?;
                let of_group = inventory.of_groups.entry(group.clone()).or_default();
                of_group.insert(key.trim().to_owned(), unquoted(value.trim()).to_owned());
            }
            _ => inventory.add_line(&group, line).map_err(bad)?,
        }
    }
    let is_known =
        |group: &str| matches!(group, "all" | "ungrouped") || inventory.hosts.contains_key(group);
    match named.iter().find(|(_, group, _)| !is_known(group)) {
        None => Ok(inventory),
        Some((line, group, section)) => Err(InventoryError::Line {
            line: *line,
            why: format!("`{section}` names the group `{group}`, which is not there"),
        }),
    }
}

/// Returns the name of a section and what follows a `:` in it; `None` if the line is of a host, such as an
/// address of IPv6 with a port.
fn section(line: &str) -> Result<Option<(&str, &str)>, String> {
    if line.ends_with(':') || line == "---" {
        return Err(format!(
            "`{line}` looks like YAML, which `ansible-inventory --list` reads"
        ));
    }
    let Some(section) = line.strip_prefix('[') else {
        return Ok(None);
    };
    let section = section.split(" #").next().unwrap_or_default().trim_end();
    match section.strip_suffix(']') {
        Some(section) => match section.split_once(':').unwrap_or((section, "")) {
            (name, what @ ("" | "children" | "vars")) => Ok(Some((name, what))),
            _ => Err(format!(
                "`[{section}]` is not read: `:children` and `:vars` are"
            )),
        },
        None if section.contains(']') => Ok(None),
        None => Err("`[` without `]`".to_owned()),
    }
}

impl Inventory {
    /// Adds the hosts of a line with their variables.
    fn add_line(&mut self, group: &str, line: &str) -> Result<(), String> {
        let words = words(line)?;
        let mut words = words.iter();
        let pattern = words.next().map(String::as_str).unwrap_or_default();
        let variables = words.map(|word| match word.split_once('=') {
            Some((key, value)) => Ok((key.to_owned(), value.to_owned())),
            None => Err(format!("`{word}` is no `key=value`")),
        });
        let mut variables: BTreeMap<String, String> = variables.collect::<Result<_, _>>()?;
        let mut hosts = expanded(pattern)?;
        for host in &mut hosts {
            if let (name, Some(port)) = split_port(host) {
                variables
                    .entry("ansible_port".to_owned())
                    .or_insert_with(|| port.to_owned());
                *host = name.to_owned();
            }
        }
        for host in hosts {
            self.add(group, &host);
            let known = self.variables.entry(host).or_default();
            known.extend(variables.clone());
        }
        Ok(())
    }
}

/// Returns the words of a line, as Ansible splits them: quotes keep blanks and are taken off, and a `#`
/// that begins a word begins a comment.
fn words(line: &str) -> Result<Vec<String>, String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    for character in line.chars() {
        match (quote, character) {
            (Some(open), _) if character == open => quote = None,
            (Some(_), _) => word.get_or_insert_default().push(character),
            (None, '\'' | '"') => {
                quote = Some(character);
                word.get_or_insert_default();
            }
            (None, '#') if word.is_none() => break,
            (None, _) if character.is_whitespace() => words.extend(word.take()),
            (None, _) => word.get_or_insert_default().push(character),
        }
    }
    words.extend(word);
    match quote {
        None => Ok(words),
        Some(quote) => Err(format!("a {quote} is not closed")),
    }
}

fn unquoted(value: &str) -> &str {
    let within = |quote| value.strip_prefix(quote)?.strip_suffix(quote);
    within('"').or_else(|| within('\'')).unwrap_or(value)
}

/// Reads the output of `ansible-inventory --list`.
fn of_json(text: &str) -> Result<Inventory, InventoryError> {
    let bad = |why: String| InventoryError::Json { why };
    let value: Value = serde_json::from_str(text).map_err(|error| bad(error.to_string()))?;
    let groups = value
        .as_object()
        .ok_or_else(|| bad("it is no object".to_owned()))?;
    let mut inventory = Inventory::default();
    for (name, group) in groups.iter().filter(|(name, _)| *name != "_meta") {
        // A list is a group with hosts alone, as older scripts print it.
        let (hosts, children) = match group {
            Value::Array(_) => (Some(group), None),
            _ => (group.get("hosts"), group.get("children")),
        };
        let names = |of: Option<&Value>, what: &str| {
            names(of).ok_or_else(|| bad(format!("`{what}` of group `{name}` is no list of names")))
        };
        let children = names(children, "children")?;
        inventory.children.insert(name.clone(), children);
        inventory.hosts.entry(name.clone()).or_default();
        for host in names(hosts, "hosts")? {
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

/// Returns a list of names, which may be missing; `None` if it is something else.
fn names(list: Option<&Value>) -> Option<Vec<String>> {
    match list {
        None | Some(Value::Null) => Some(Vec::new()),
        Some(list) => {
            let names = list.as_array()?.iter();
            names
                .map(|one| one.as_str().map(ToOwned::to_owned))
                .collect()
        }
    }
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
    fn forms_that_people_publish_are_read() {
        // Of Ansible 1, of kubespray, of Terraform templates; ports in names; quotes and comments.
        let text = "
            ; lab
            [kube_node]
            node1 ansible_ssh_host=10.0.0.1 ansible_ssh_port=2222 ansible_ssh_user='ubuntu' ip=10.3.0.1
            node2 ansible_host=\"10.0.0.2\" note='two words # no comment' # a comment
            10.0.0.3:33
            [fd00::4]:44
            node5 ansible_host=fd00::5 ansible_port=55
            [etcd] # the same
            node1
            [calico_rr]
            [k8s_cluster:children]
            kube_node
            etcd
            [all:vars]
            ansible_user = admin
            ansible_python_interpreter=/usr/bin/python3
            ansible_become=true
            ansible_connection=smart
        ";
        assert_eq!(
            shown(read(&text.replace("ansible_ssh_user='ubuntu' ", ""), &[])),
            "node1=ssh://admin@10.0.0.1:2222 node2=admin@10.0.0.2 10.0.0.3=ssh://admin@10.0.0.3:33 \
             fd00::4=ssh://admin@[fd00::4]:44 node5=ssh://admin@[fd00::5]:55"
        );
        assert_eq!(
            shown(read(text, &["etcd".to_owned()])),
            "error: host `node1`: `ansible_user` and `ansible_ssh_user` differ: leave one out"
        );
        let json = r#"{"web":["a","b"],"db":{"hosts":["c"],"vars":{"ansible_ssh_user":"x"}}}"#;
        assert_eq!(shown(read(json, &["web".to_owned()])), "a=a b=b");
        assert_eq!(shown(read(json, &["db".to_owned()])), "c=x@c");
    }

    #[test]
    fn the_smaller_group_counts_more_whatever_its_name() {
        let text = "
            [Web]
            a
            [zone:children]
            Web
            [zone:vars]
            ansible_user=zone
            ansible_port=2
            [all:vars]
            ansible_user=all
            ansible_port=1
            [Web:vars]
            ansible_user=web
        ";
        assert_eq!(shown(read(text, &[])), "a=ssh://web@a:2");
        let circle = "a\n[x:children]\ny\n[y:children]\nx\n[x:vars]\nansible_user=x";
        assert_eq!(shown(read(circle, &[])), "a=a");
    }

    #[test]
    fn what_is_not_read_is_refused_by_name() {
        let check = |text: &str, expected: &str| {
            assert_eq!(shown(read(text, &[])), format!("error: {expected}"))
        };
        check(
            "a ansible_ssh_common_args=-J",
            "host `a`: `ansible_ssh_common_args` is not read: it changes how the host is reached; say it in `~/.ssh/config`, such as `ProxyJump`; host keys are always checked, whatever it says",
        );
        check(
            "a ansible_connection=local",
            "host `a`: `ansible_connection` is not read: it changes how the host is reached; only `ssh` is used",
        );
        check(
            "a ansible_ssh_private_key_file=~/.ssh/id",
            "host `a`: `ansible_ssh_private_key_file` is not read: it changes how the host is reached; say it as `IdentityFile` in `~/.ssh/config`, or load the key with `ssh-add`",
        );
        check(
            "a ansible_user=x ansible_ssh_user=y",
            "host `a`: `ansible_user` and `ansible_ssh_user` differ: leave one out",
        );
        check(
            "a ansible_port=x",
            "host `a`: its port is no number from 1 to 65535",
        );
        check("a note='b", "line 1: a ' is not closed");
        check(
            "a\n[all2:children]\nweb",
            "line 3: `[all2:children]` names the group `web`, which is not there",
        );
        check(
            "a\n[wbe:vars]\nansible_user=x",
            "line 2: `[wbe:vars]` names the group `wbe`, which is not there",
        );
        check(
            r#"{"web":{"hosts":{"a":{}}}}"#,
            "it is no output of `ansible-inventory --list`: `hosts` of group `web` is no list of names",
        );
        check(
            "web[1:999]",
            "line 1: `web[1:999]` is not read: a range is `[FIRST:LAST]` or `[FIRST:LAST:STEP]`, of numbers or of single letters, with at most 256 hosts",
        );
        check(
            "[x:tags]",
            "line 1: `[x:tags]` is not read: `:children` and `:vars` are",
        );
        check("a b", "line 1: `b` is no `key=value`");
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
