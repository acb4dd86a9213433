//! How people write hosts, and what `ssh` understands: ports, addresses of IPv6, ranges.

use stripewise_study::hosts::{HOSTS_MAX, Host};

/// Returns the host that a person wrote: a name of `ssh`, `user@host:port`, or an address of IPv6, in
/// brackets if a port follows. `ssh` itself takes a port in `ssh://` only, and brackets nowhere else.
pub(crate) fn named(text: &str) -> Host {
    let (user, host) = match text.rsplit_once('@') {
        Some((user, host)) => (Some(user), host),
        None => (None, text),
    };
    let destination = match text.starts_with("ssh://") {
        true => text.to_owned(),
        false => {
            let (host, port) = split_port(host);
            of_parts(user, host, port)
        }
    };
    Host {
        name: text.to_owned(),
        destination,
    }
}

/// Returns the destination of a host, whose address has no brackets.
pub(crate) fn of_parts(user: Option<&str>, host: &str, port: Option<&str>) -> String {
    let user = user.map(|user| format!("{user}@")).unwrap_or_default();
    match port {
        Some(port) if host.contains(':') => format!("ssh://{user}[{host}]:{port}"),
        Some(port) => format!("ssh://{user}{host}:{port}"),
        None => format!("{user}{host}"),
    }
}

/// Splits `host:port` and `[address]:port`, and takes off the brackets. More than one `:` without
/// brackets is an address of IPv6.
pub(crate) fn split_port(text: &str) -> (&str, Option<&str>) {
    if let Some((address, rest)) = text
        .strip_prefix('[')
        .and_then(|rest| rest.rsplit_once(']'))
    {
        return match rest.strip_prefix(':') {
            Some(port) => (address, Some(port)),
            None if rest.is_empty() => (address, None),
            None => (text, None),
        };
    }
    match text.rsplit_once(':') {
        Some((host, port)) if is_port(port) && !host.contains(':') => (host, Some(port)),
        _ => (text, None),
    }
}

/// Returns the destination and the port of `ssh://user@[address]:port`, as no `ssh` takes brackets there
/// (OpenSSH 9.2 prints its usage); `None` without brackets.
pub(crate) fn of_bracketed(destination: &str) -> Option<(String, Option<&str>)> {
    let within = destination.strip_prefix("ssh://")?;
    let (user, host) = match within.rsplit_once('@') {
        Some((user, host)) => (Some(user), host),
        None => (None, within),
    };
    let (address, port) = host.starts_with('[').then(|| split_port(host))?;
    Some((of_parts(user, address, None), port))
}

fn is_port(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Returns why `ssh` does not take the port of a destination; `None` without a port, or with a good one.
pub(crate) fn port_problem(destination: &str) -> Option<&'static str> {
    let within = destination.strip_prefix("ssh://")?;
    let host = within.rsplit_once('@').map_or(within, |(_, host)| host);
    let port = match host.rsplit_once(']') {
        Some((_, rest)) => rest.strip_prefix(':')?,
        None => host.rsplit_once(':')?.1,
    };
    match is_port(port) && port.parse::<u16>().is_ok_and(|port| port != 0) {
        true => None,
        false => Some("its port is no number from 1 to 65535"),
    }
}

/// Expands ranges such as `web[01:20]`, `web[a:f]` and `web[1:9:2]` (every second) to the hosts of each,
/// as Ansible does: both ends are in, and leading zeros stay.
pub(crate) fn expanded(pattern: &str) -> Result<Vec<String>, String> {
    let mut done = Vec::new();
    let mut open = vec![pattern.to_owned()];
    // The last one is taken and its parts are put back in reverse, so that the order is that of counting.
    while let Some(next) = open.pop() {
        let Some((before, range, after)) = first_range(&next) else {
            done.push(next);
            continue;
        };
        let values = range_values(range).ok_or_else(|| {
            format!(
                "`{pattern}` is not read: a range is `[FIRST:LAST]` or `[FIRST:LAST:STEP]`, of numbers or of single letters, with at most {HOSTS_MAX} hosts"
            )
        })?;
        let each = values.into_iter().rev();
        open.extend(each.map(|value| format!("{before}{value}{after}")));
        if done.len() + open.len() > HOSTS_MAX {
            return Err(format!("`{pattern}` is more than {HOSTS_MAX} hosts"));
        }
    }
    Ok(done)
}

/// Returns what is before, in, and after the first range. Brackets at the beginning of a host are those of
/// an address.
fn first_range(text: &str) -> Option<(&str, &str, &str)> {
    let (before, rest) = text.split_once('[')?;
    let begins_host = before.is_empty() || before.ends_with(['@', '/']);
    if begins_host && rest.matches(':').count() > 1 && !rest.contains('[') {
        return None;
    }
    let (range, after) = rest.split_once(']').unwrap_or(("", ""));
    Some((before, range, after))
}

fn range_values(range: &str) -> Option<Vec<String>> {
    let mut parts = range.split(':');
    let (first, last) = (parts.next()?, parts.next()?);
    // `[:5]` begins at 0.
    let first = if first.is_empty() { "0" } else { first };
    let step: usize = parts.next().map_or(Ok(1), str::parse).ok()?;
    if parts.next().is_some() || step == 0 {
        return None;
    }
    let letter = |text: &str| match text.as_bytes() {
        [byte] if byte.is_ascii_alphabetic() => Some(*byte),
        _ => None,
    };
    if let (Some(from), Some(to)) = (letter(first), letter(last)) {
        let is_one_case = from.is_ascii_lowercase() == to.is_ascii_lowercase();
        let letters = (from..=to)
            .step_by(step)
            .map(|byte| char::from(byte).to_string());
        return (is_one_case && from <= to).then(|| letters.collect());
    }
    let number = |digits: &str| is_port(digits).then(|| digits.parse::<u32>().ok())?;
    let (from, to) = (number(first)?, number(last)?);
    let count = usize::try_from(to.checked_sub(from)?).ok()? / step;
    let width = match first.starts_with('0') {
        true => first.len(),
        false => 0,
    };
    let numbers = (from..=to)
        .step_by(step)
        .map(|number| format!("{number:0width$}"));
    (count < HOSTS_MAX).then(|| numbers.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_people_write_becomes_what_ssh_takes() {
        for (written, destination) in [
            ("web1", "web1"),
            ("root@web1", "root@web1"),
            ("root@web1:2222", "ssh://root@web1:2222"),
            ("web1:22", "ssh://web1:22"),
            ("fd00::7", "fd00::7"),
            ("root@fd00::7", "root@fd00::7"),
            ("[fd00::7]", "fd00::7"),
            ("root@[fd00::7]", "root@fd00::7"),
            ("root@[fd00::7]:2222", "ssh://root@[fd00::7]:2222"),
            ("ssh://root@[fd00::7]:2222", "ssh://root@[fd00::7]:2222"),
        ] {
            let host = named(written);
            assert_eq!(
                (host.name.as_str(), host.destination.as_str()),
                (written, destination)
            );
            assert_eq!(port_problem(destination), None, "{destination}");
        }
        let address = of_bracketed("ssh://root@[fd00::7]:2222");
        assert_eq!(address, Some(("root@fd00::7".to_owned(), Some("2222"))));
        assert_eq!(of_bracketed("ssh://root@web1:2222"), None);
        for bad in [
            "ssh://web1:0",
            "ssh://web1:65536",
            "ssh://web1:",
            "ssh://[fd00::7]:x",
        ] {
            assert!(port_problem(bad).is_some(), "{bad}");
        }
    }

    #[test]
    fn ranges_are_those_of_ansible() {
        let all = |pattern| expanded(pattern).map(|hosts| hosts.join(" "));
        for (pattern, hosts) in [
            ("web[08:10].x", "web08.x web09.x web10.x"),
            ("db-[a:c]", "db-a db-b db-c"),
            ("n[1:5:2]", "n1 n3 n5"),
            ("mail[:2].x", "mail0.x mail1.x mail2.x"),
            ("r[1:2]n[a:b]", "r1na r1nb r2na r2nb"),
            ("root@10.0.0.[7:8]", "root@10.0.0.7 root@10.0.0.8"),
            ("[fd00::7]:22", "[fd00::7]:22"),
            ("ssh://a@[fd00::7]:22", "ssh://a@[fd00::7]:22"),
            ("web", "web"),
        ] {
            assert_eq!(all(pattern).as_deref(), Ok(hosts));
        }
        for bad in [
            "web[1:999]",
            "web[3:1]",
            "web[a:C]",
            "web[1:a]",
            "web[1]",
            "web[1:2",
            "web[1:2:0]",
            "n[1:20][1:20]",
        ] {
            assert!(all(bad).is_err(), "{bad}");
        }
    }
}
