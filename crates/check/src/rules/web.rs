//! Web servers.

use crate::facts::{directives, name_at};
use crate::rule::{Findings, Judged, Rule, Severity, Verdict};
use crate::snapshot::{Missing, Snapshot, Stat};

pub(super) const RULES: &[Rule] = &[ACCESS22, MODULE_GONE, WP_PERMS, PHP_SOCKET];

const ACCESS22: Rule = Rule {
    id: "apache.access22",
    title: "Apache has access rules of the old syntax",
    severity: Severity::High,
    reason: "`Invalid command 'Order'` stops Apache without mod_access_compat, and answers 500 where it stands in .htaccess. Mixed with `Require` in one place it grants or denies what nobody meant.",
    source: "Apache HTTP Server, Upgrading to 2.4 from 2.2, Access control; mod_access_compat",
    fix: "`Require all granted` or `Require all denied`, then `apache2ctl -t`.",
    risk: "Access opened wider than before: test from outside.",
    undo: "Put the old lines back and `a2enmod access_compat`.",
    proof: None,
    judge: access22,
    settings: None,
};

fn has_directive(text: &str, names: &[&str]) -> Option<String> {
    let found = directives(text).find(|line| {
        let word = line.split_whitespace().next().unwrap_or_default();
        names.iter().any(|name| word.eq_ignore_ascii_case(name))
    });
    found.map(str::to_owned)
}

fn access22(facts: &Snapshot) -> Judged {
    let patterns = [
        "/etc/apache2/conf-enabled/*",
        "/etc/apache2/mods-enabled/*",
        "/etc/apache2/sites-enabled/*",
        "/var/www/**/.htaccess",
    ];
    if facts.text("/etc/apache2/apache2.conf")?.is_none() {
        return Ok(Findings::default());
    }
    let modules = facts.glob("/etc/apache2/mods-enabled/*")?;
    let is_loaded = modules
        .iter()
        .any(|path| path.ends_with("/access_compat.load"));
    let mut findings = Findings::default();
    let mut paths = vec!["/etc/apache2/apache2.conf"];
    for pattern in patterns {
        let (found, missing) = facts.glob_known(pattern);
        paths.extend(found);
        missing.into_iter().for_each(|one| findings.add(Err(one)));
    }
    let judged = Findings::each(paths, |path| {
        let text = facts.text(path)?.unwrap_or_default();
        let Some(old) = has_directive(text, &["order", "allow", "deny", "satisfy"]) else {
            return Ok(Verdict::Fine);
        };
        let new = has_directive(text, &["require"]);
        // Shipped files ask for the module first.
        let asks = text.to_ascii_lowercase().contains("mod_access_compat.c");
        Ok(match (is_loaded || asks, new) {
            (false, _) => {
                Verdict::Fail(format!("{path}: `{old}`, and access_compat is not enabled"))
            }
            (true, Some(new)) if !asks => Verdict::Fail(format!("{path}: `{old}` beside `{new}`")),
            (true, None) => Verdict::Note(format!(
                "{path}: `{old}` works because access_compat is enabled"
            )),
            _ => Verdict::Fine,
        })
    });
    Ok(findings.and(Ok(judged)))
}

const MODULE_GONE: Rule = Rule {
    id: "apache.module-gone",
    title: "Apache loads a module that is not installed",
    severity: Severity::High,
    reason: "Apache does not start: after an upgrade the module of the old PHP is gone, and its link in mods-enabled stays.",
    source: "a2enmod(8); Apache HTTP Server, mod_so, LoadModule",
    fix: "`a2dismod` the old one, `a2enmod` the new one, `apache2ctl -t`.",
    risk: "Handlers of sites change with the PHP version.",
    undo: "`a2enmod` the old one.",
    proof: None,
    judge: module_gone,
    settings: None,
};

fn module_gone(facts: &Snapshot) -> Judged {
    let files = facts.glob("/etc/apache2/mods-enabled/*")?;
    let loads = files.into_iter().filter(|path| path.ends_with(".load"));
    Ok(Findings::each(loads, |path| {
        let text = facts.text(path)?.unwrap_or_default();
        let lines = directives(text).filter_map(|line| line.strip_prefix("LoadModule"));
        for module in lines.filter_map(|rest| rest.split_whitespace().nth(1)) {
            if module.starts_with("/usr/lib/apache2/modules/") && !facts.exists(module)? {
                return Ok(Verdict::Fail(format!("{path}: there is no {module}")));
            }
        }
        Ok(Verdict::Fine)
    }))
}

const WP_PERMS: Rule = Rule {
    id: "web.wp-perms",
    title: "files of a web root are open to the wrong users",
    severity: Severity::High,
    reason: "The classes of permissions do not add up: the first that matches decides. 0604 denies the group, which may be the web server's, and admits everybody else to the password of the database.",
    source: "WordPress, Hardening WordPress, File permissions; path_resolution(7), Permissions",
    fix: "wp-config.php 0640 with the web server's group, .htaccess 0644 or 0640, files 0644, directories 0755.",
    risk: "403 or 500 if the group is wrong: test with `runuser -u www-data -- cat FILE`.",
    undo: "`chmod` with the old mode.",
    proof: Some("stripewise site permissions --root /var/www/html --server-user www-data"),
    judge: wp_perms,
    settings: None,
};

/// Debian's number of www-data: base-passwd.
const WEB_ID: u32 = 33;

fn may_read(stat: Stat, uid: u32, gid: u32) -> bool {
    let bit = match (stat.uid == uid, stat.gid == gid) {
        (true, _) => 0o400,
        (false, true) => 0o040,
        (false, false) => 0o004,
    };
    stat.mode & bit != 0
}

/// Returns user and group of the web server.
fn server_ids(facts: &Snapshot) -> Result<(u32, u32), Missing> {
    let passwd = facts.need_word("/etc/passwd")?;
    let envvars = facts.text("/etc/apache2/envvars")?.unwrap_or_default();
    let user = envvars
        .lines()
        .find_map(|line| line.trim().strip_prefix("export APACHE_RUN_USER="));
    let user = user.unwrap_or("www-data");
    let line = passwd
        .lines()
        .find(|line| line.split(':').next() == Some(user));
    let ids = line.and_then(|line| {
        let mut words = line.split(':').skip(2);
        Some((words.next()?.parse().ok()?, words.next()?.parse().ok()?))
    });
    Ok(ids.unwrap_or((WEB_ID, WEB_ID)))
}

fn wp_perms(facts: &Snapshot) -> Judged {
    let (configs, unread) = facts.glob_known("/var/www/**/wp-config.php");
    let (rules, unread_too) = facts.glob_known("/var/www/**/.htaccess");
    let mut findings = Findings::default();
    // What could not be looked at does not hide what is wrong elsewhere, and is no pass.
    for missing in unread.into_iter().chain(unread_too) {
        findings.add(Err(missing));
    }
    if configs.is_empty() && rules.is_empty() {
        return Ok(findings);
    }
    let (uid, gid) = server_ids(facts)?;
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
        let is_shut = !may_read(stat, uid, gid);
        findings.add(Ok(Verdict::fail_if(is_open, || {
            format!("{path}: mode {mode:04o} lets everybody read it")
        })));
        findings.add(Ok(Verdict::fail_if(is_shut, || {
            format!("{path}: mode {mode:04o} keeps the web server out")
        })));
    }
    Ok(findings)
}

const PHP_SOCKET: Rule = Rule {
    id: "nginx.php-socket",
    title: "nginx passes PHP to a socket that no pool opens",
    severity: Severity::High,
    reason: "Pages answer `502 Bad Gateway`: the upgrade brought another PHP, whose socket has another name.",
    source: "nginx, ngx_http_fastcgi_module, fastcgi_pass; PHP manual, FPM, listen",
    fix: "Write the socket of the installed version, or link /run/php/php-fpm.sock.",
    risk: "Sites may not be ready for the new PHP.",
    undo: "Put the old socket back and install the old PHP.",
    proof: None,
    judge: php_socket,
    settings: None,
};

fn php_socket(facts: &Snapshot) -> Judged {
    let mut sockets = Vec::new();
    for pool in facts.glob("/etc/php/*/fpm/pool.d/*")? {
        let text = facts.text(pool)?.unwrap_or_default();
        sockets.extend(crate::facts::setting(text, "listen"));
    }
    let mut findings = Findings::default();
    for pattern in [
        "/etc/nginx/conf.d/*",
        "/etc/nginx/sites-enabled/*",
        "/etc/nginx/snippets/*",
    ] {
        for path in facts.glob(pattern)? {
            let text = facts.text(path)?.unwrap_or_default();
            let passed = directives(text).filter_map(|line| line.strip_prefix("fastcgi_pass"));
            for socket in passed.filter_map(|rest| rest.trim().strip_prefix("unix:")) {
                let socket = socket.trim_end_matches(';').trim();
                // Debian links this name to the default version.
                let is_known = sockets.contains(&socket) || socket.ends_with("/php-fpm.sock");
                let is_php = socket.contains("php");
                findings.add(Ok(Verdict::fail_if(is_php && !is_known, || {
                    format!("{}: no pool listens on {socket}", name_at(path, 3))
                })));
            }
        }
    }
    Ok(findings)
}
