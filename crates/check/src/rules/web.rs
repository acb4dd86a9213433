//! Web servers.

use stripewise_message::Message;

use crate::apache::{Apache, apache};
use crate::config::{Config, Grammar, Include, Line, Takes, after, lines_of, unquoted};
use crate::facts::WEB_ROOTS;
use crate::layout::{family, nothing};
use crate::redact::redact_of;
use crate::rule::{Findings, Judged, Rule, Severity, Verdict};
use crate::snapshot::{Missing, Snapshot, Stat};

pub(super) const RULES: &[Rule] = &[ACCESS22, MODULE_GONE, WP_PERMS, PHP_SOCKET];

const ACCESS22: Rule = Rule {
    id: "apache.access22",
    severity: Severity::High,
    source: "Apache HTTP Server, Upgrading to 2.4 from 2.2, Access control; mod_access_compat; core, IfModule; mod_version",
    judge: access22,
    ..Rule::PLAIN
};

/// Directives of Apache 2.2, which `mod_access_compat` has in 2.4.
const OLD: [&str; 4] = ["order", "allow", "deny", "satisfy"];

fn is_named(line: &str, names: &[&str]) -> bool {
    let word = line.split_whitespace().next().unwrap_or_default();
    names.iter().any(|name| word.eq_ignore_ascii_case(name))
}

fn access22(facts: &Snapshot) -> Judged {
    let Some(apache) = apache(facts)? else {
        return nothing(facts);
    };
    let mut findings = Findings::default();
    for missing in &apache.config.missing {
        findings.add(Err(missing.clone()));
    }
    old_rules(&apache, &apache.config.lines, &mut findings);
    for top in WEB_ROOTS {
        let (paths, missing) = facts.glob_known(&format!("{top}/**/.htaccess"));
        missing.into_iter().for_each(|one| findings.add(Err(one)));
        for path in paths {
            match facts.text(path) {
                Ok(text) => {
                    let lines: Vec<Line<'_>> = lines_of(path, text.unwrap_or_default()).collect();
                    old_rules(&apache, &lines, &mut findings);
                }
                Err(missing) => findings.add(Err(missing)),
            }
        }
    }
    Ok(findings)
}

/// Adds what is wrong with each place of access rules, each file once.
fn old_rules(apache: &Apache<'_>, lines: &[Line<'_>], findings: &mut Findings) {
    let placed = apache.placed(lines);
    let mut done = Vec::new();
    let old = placed.iter().filter(|one| is_named(one.line.text, &OLD));
    for one in old {
        let file = one.line.file;
        // A condition may compare with a secret.
        let shown = |line: Line<'_>| redact_of(line.file, line.text);
        let old = shown(one.line);
        let new = placed.iter().find(|other| {
            other.place == one.place
                && (one.place > 0 || other.line.file == file)
                && is_named(other.line.text, &["require"])
        });
        let verdict = match (apache.has_compat(), new) {
            (false, _) => Verdict::Fail(
                Message::new("found-access-compat-not-enabled")
                    .name("file", file)
                    .name("old", old),
            ),
            // Shipped files ask for the module first.
            (true, _) if one.is_guarded => continue,
            (true, Some(new)) => Verdict::Fail(
                Message::new("found-beside")
                    .name("file", file)
                    .name("old", old)
                    .name("new", shown(new.line)),
            ),
            (true, None) => Verdict::Note(
                Message::new("found-works-because-access-compat")
                    .name("file", file)
                    .name("old", old),
            ),
        };
        let is_fail = matches!(verdict, Verdict::Fail(_));
        if !done.contains(&(file, is_fail)) {
            done.push((file, is_fail));
            findings.add(Ok(verdict));
        }
    }
}

const MODULE_GONE: Rule = Rule {
    id: "apache.module-gone",
    severity: Severity::High,
    source: "a2enmod(8); Apache HTTP Server, mod_so, LoadModule",
    judge: module_gone,
    ..Rule::PLAIN
};

/// Where the directory `modules` of a server root leads: Fedora and RHEL, Arch, Alpine.
const MODULES: [&str; 3] = [
    "/usr/lib64/httpd/modules",
    "/usr/lib/httpd/modules",
    "/usr/lib/apache2",
];

fn module_gone(facts: &Snapshot) -> Judged {
    let Some(apache) = apache(facts)? else {
        return nothing(facts);
    };
    let mut findings = Findings::default();
    for missing in &apache.config.missing {
        findings.add(Err(missing.clone()));
    }
    let placed = apache.placed(&apache.config.lines);
    let judged = Findings::each(&placed, |one| {
        let path = after(one.line.text, "LoadModule");
        let Some(path) = path.and_then(|rest| rest.split_whitespace().nth(1)) else {
            return Ok(Verdict::Fine);
        };
        let path = unquoted(path);
        let is_there = match path.strip_prefix("modules/") {
            Some(name) => {
                let mut is_there = false;
                for folder in MODULES {
                    is_there |= facts.exists(&format!("{folder}/{name}"))?;
                }
                is_there
            }
            None if path.starts_with('/') => facts.exists(path)?,
            None => return Ok(Verdict::Fine),
        };
        if !is_there && !one.is_sure {
            let why = format!(
                "{} loads it under a condition that is not known",
                one.line.file
            );
            return Err(Missing::new(path, why));
        }
        Ok(Verdict::fail_if(!is_there, || {
            Message::new("found-there-no")
                .name("file", one.line.file)
                .name("path", path)
        }))
    });
    Ok(findings.and(Ok(judged)))
}

const WP_PERMS: Rule = Rule {
    id: "web.wp-perms",
    severity: Severity::High,
    source: "WordPress, Hardening WordPress, File permissions; path_resolution(7), Permissions",
    proof: Some("stripewise site permissions --root /var/www/html --server-user www-data"),
    judge: wp_perms,
    ..Rule::PLAIN
};

/// A user who reads files of a web site.
struct Reader {
    uid: u32,
    /// The own group and those of `/etc/group`.
    gids: Vec<u32>,
}

impl Reader {
    fn may_read(&self, stat: Stat) -> bool {
        let bit = match (stat.uid == self.uid, self.gids.contains(&stat.gid)) {
            (true, _) => 0o400,
            (false, true) => 0o040,
            (false, false) => 0o004,
        };
        stat.mode & bit != 0
    }
}

/// Names of the web server's user: Debian; SUSE; Fedora, RHEL and Alpine; Arch; nginx's packages.
const SERVERS: [&str; 5] = ["www-data", "wwwrun", "apache", "http", "nginx"];

fn reader(facts: &Snapshot, name: &str, group: Option<&str>) -> Result<Option<Reader>, Missing> {
    let passwd = facts.need_word("/etc/passwd")?;
    let groups = facts.text("/etc/group")?.unwrap_or_default();
    let line = passwd
        .lines()
        .find(|line| line.split(':').next() == Some(name));
    let ids = line.and_then(|line| {
        let mut words = line.split(':').skip(2);
        Some((words.next()?.parse().ok()?, words.next()?.parse().ok()?))
    });
    let Some((uid, gid)) = ids else {
        return Ok(None);
    };
    let mut gids = vec![gid];
    for line in groups.lines() {
        let words: Vec<&str> = line.split(':').collect();
        if let [group_name, _, number, members, ..] = words[..] {
            let is_in = members.split(',').any(|member| member == name);
            let is_named = group == Some(group_name);
            gids.extend(number.parse::<u32>().ok().filter(|_| is_in || is_named));
        }
    }
    Ok(Some(Reader { uid, gids }))
}

/// Returns who serves files: the user of Apache or nginx.
fn servers(facts: &Snapshot) -> Result<Vec<Reader>, Missing> {
    let envvars = facts.text("/etc/apache2/envvars")?.unwrap_or_default();
    let user = envvars
        .lines()
        .find_map(|line| line.trim().strip_prefix("export APACHE_RUN_USER="));
    let names: Vec<&str> = match user {
        Some(user) if !user.contains('$') => vec![unquoted(user)],
        _ => SERVERS.to_vec(),
    };
    let mut found = Vec::new();
    for name in names {
        found.extend(reader(facts, name, None)?);
    }
    match found.is_empty() {
        true => Err(Missing::new(
            "/etc/passwd",
            "it has no user that a web server is known to run as",
        )),
        false => Ok(found),
    }
}

/// A pool of PHP-FPM.
struct Pool<'a> {
    file: &'a str,
    name: &'a str,
    settings: Vec<(&'a str, &'a str)>,
}

impl Pool<'_> {
    fn get(&self, key: &str) -> Option<String> {
        let mut found = self.settings.iter().rev();
        let (_, value) = found.find(|(name, _)| *name == key)?;
        Some(value.replace("$pool", self.name))
    }
}

/// Where pools are: Debian; Fedora, RHEL and Arch; SUSE; Alpine; the packages of Remi.
const POOLS: [&str; 5] = [
    "/etc/php/*/fpm/pool.d/*.conf",
    "/etc/php*/php-fpm.d/*.conf",
    "/etc/php*/fpm/php-fpm.d/*.conf",
    "/etc/opt/remi/*/php-fpm.d/*.conf",
    "/etc/php-fpm.d/*.conf",
];

/// The main files, which include those of pools.
const MANAGERS: [&str; 5] = [
    "/etc/php/*/fpm/php-fpm.conf",
    "/etc/php*/php-fpm.conf",
    "/etc/php*/fpm/php-fpm.conf",
    "/etc/opt/remi/*/php-fpm.conf",
    "/etc/php-fpm.conf",
];

/// PHP manual, FPM, `include`; sapi/fpm/fpm/fpm_conf.c, `fpm_conf_ini_parser_include`: a pattern.
const FPM: Grammar = Grammar {
    include: |line| {
        let value = after(line, "include")?.strip_prefix('=')?;
        Some(Include {
            pattern: unquoted(value).to_owned(),
            is_optional: true,
            takes: Takes::Matching,
        })
    },
    base: Some("/usr"),
    maybe: None,
};

/// Returns the configuration of PHP-FPM.
pub(crate) fn fpm(facts: &Snapshot) -> Config<'_> {
    Config::read(facts, &MANAGERS, FPM).or_parts(facts, &POOLS, FPM)
}

fn pools(facts: &Snapshot) -> Result<Vec<Pool<'_>>, Missing> {
    let config = fpm(facts).complete()?;
    let mut pools: Vec<Pool<'_>> = Vec::new();
    for line in config.lines {
        let name = line.text.strip_prefix('[');
        let is_other = pools.last().is_none_or(|pool| pool.file != line.file);
        if name.is_some() || is_other {
            pools.push(Pool {
                file: line.file,
                name: name.map_or("", |name| name.trim_end_matches(']')),
                settings: Vec::new(),
            });
        }
        if let (Some((key, value)), Some(pool)) = (line.text.split_once('='), pools.last_mut()) {
            let value = value.split(';').next().unwrap_or_default();
            pool.settings.push((key.trim(), unquoted(value)));
        }
    }
    Ok(pools)
}

fn wp_perms(facts: &Snapshot) -> Judged {
    let (mut configs, mut rules) = (Vec::new(), Vec::new());
    let mut findings = Findings::default();
    for top in WEB_ROOTS {
        for (name, found) in [("wp-config.php", &mut configs), (".htaccess", &mut rules)] {
            let (paths, unread) = facts.glob_known(&format!("{top}/**/{name}"));
            found.extend(paths);
            // A directory that could not be read hides no fault elsewhere, and is no pass.
            unread.into_iter().for_each(|one| findings.add(Err(one)));
        }
    }
    if configs.is_empty() && rules.is_empty() {
        return Ok(findings.and(nothing(facts)));
    }
    let servers = servers(facts)?;
    // PHP reads wp-config.php: as the server, or as the user of a pool.
    let mut readers = Vec::new();
    let pools = match configs.is_empty() {
        true => Vec::new(),
        false => pools(facts)?,
    };
    for pool in pools {
        let group = pool.get("group");
        let user = pool.get("user").unwrap_or_default();
        match reader(facts, &user, group.as_deref())? {
            Some(reader) => readers.push(reader),
            None if user.is_empty() => {}
            None => {
                let why = format!("{} runs as it, and /etc/passwd does not have it", pool.file);
                findings.add(Err(Missing::new(format!("user `{user}`"), why)));
            }
        }
    }
    for (path, is_secret) in configs
        .iter()
        .map(|path| (path, true))
        .chain(rules.iter().map(|path| (path, false)))
    {
        let stat = match facts.stat(path) {
            Ok(Some(stat)) => stat,
            Ok(None) => continue,
            Err(missing) => {
                findings.add(Err(missing));
                continue;
            }
        };
        let mode = stat.mode;
        let is_open = is_secret && mode & 0o004 != 0;
        let php = readers.iter().filter(|_| is_secret);
        let is_shut = !servers.iter().chain(php).any(|one| one.may_read(stat));
        findings.add(Ok(Verdict::fail_if(is_open, || {
            Message::new("found-mode-lets-everybody-read")
                .name("path", path)
                .name("mode", format_args!("{mode:04o}"))
        })));
        findings.add(Ok(Verdict::fail_if(is_shut, || {
            Message::new("found-mode-keeps-web-server")
                .name("path", path)
                .name("mode", format_args!("{mode:04o}"))
        })));
    }
    Ok(findings)
}

const PHP_SOCKET: Rule = Rule {
    id: "nginx.php-socket",
    severity: Severity::High,
    source: "nginx, ngx_http_fastcgi_module, fastcgi_pass; ngx_http_upstream_module; PHP manual, FPM, listen",
    judge: php_socket,
    ..Rule::PLAIN
};

/// nginx's `include` takes a path or a pattern, from the directory of nginx.conf.
const NGINX: Grammar = Grammar {
    include: |line| {
        let pattern = after(line, "include")?.trim_end_matches(';').trim();
        Some(Include {
            pattern: unquoted(pattern).to_owned(),
            is_optional: false,
            takes: Takes::Matching,
        })
    },
    base: Some("/etc/nginx"),
    maybe: None,
};

/// Returns the configuration of nginx.
pub(crate) fn nginx(facts: &Snapshot) -> Config<'_> {
    let parts = ["/etc/nginx/conf.d/*.conf", "/etc/nginx/sites-enabled/*"];
    let config = Config::read(facts, &["/etc/nginx/nginx.conf"], NGINX);
    config.or_parts(facts, &parts, NGINX)
}

fn php_socket(facts: &Snapshot) -> Judged {
    let config = nginx(facts);
    if config.is_absent() {
        return nothing(facts);
    }
    let mut findings = Findings::default();
    for missing in &config.missing {
        findings.add(Err(missing.clone()));
    }
    let pools = pools(facts)?;
    let sockets: Vec<String> = pools.iter().filter_map(|pool| pool.get("listen")).collect();
    let sockets: Vec<&str> = sockets.iter().map(|socket| below_run(socket)).collect();
    for (file, socket) in passed(&config) {
        let name = file.rsplit('/').next().unwrap_or_default();
        if socket.contains('$') {
            let why = format!("{file} passes PHP to it, and what it holds is not known");
            findings.add(Err(Missing::new(socket, why)));
            continue;
        }
        let Some(socket) = socket.strip_prefix("unix:").map(below_run) else {
            continue;
        };
        // Debian links this name to the default version.
        let is_known =
            sockets.contains(&socket) || (socket.ends_with("/php-fpm.sock") && !sockets.is_empty());
        let is_php = socket.contains("php");
        let verdict = Verdict::fail_if(is_php && !is_known, || {
            Message::new("found-no-pool-listens")
                .name("name", name)
                .name("socket", socket)
        });
        // Without any pool, only a known layout tells that there is none.
        findings.add(match pools.is_empty() && is_php {
            true => family(facts).map(|_| verdict),
            false => Ok(verdict),
        });
    }
    Ok(findings)
}

/// Returns a path with `/run` for `/var/run`, which is a link to it.
fn below_run(path: &str) -> &str {
    path.strip_prefix("/var")
        .filter(|rest| rest.starts_with("/run/"))
        .unwrap_or(path)
}

/// Returns to where PHP is passed, each with the file that says so: `unix:PATH`, `HOST:PORT`, a
/// variable, or what the servers of an upstream are.
fn passed<'a>(config: &Config<'a>) -> Vec<(&'a str, &'a str)> {
    let statement = |text: &'a str| text.trim_end_matches([';', '{', ' ']);
    let (mut servers, mut upstream) = (Vec::new(), None);
    for line in &config.lines {
        if let Some(name) = after(line.text, "upstream") {
            upstream = Some(statement(name));
        } else if line.text.ends_with('{') {
            upstream = None;
        } else if let (Some(name), Some(server)) = (upstream, after(line.text, "server")) {
            let address = statement(server).split_whitespace().next();
            servers.push((name, address.unwrap_or_default()));
        }
    }
    let mut found = Vec::new();
    for line in &config.lines {
        let Some(target) = after(line.text, "fastcgi_pass").map(statement) else {
            continue;
        };
        let own: Vec<&str> = servers
            .iter()
            .filter(|(name, _)| *name == target)
            .map(|(_, address)| *address)
            .collect();
        match own.is_empty() {
            true => found.push((line.file, target)),
            false => found.extend(own.into_iter().map(|address| (line.file, address))),
        }
    }
    found
}
