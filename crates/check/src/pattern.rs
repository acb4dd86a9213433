//! Paths with `*`, as in a shell: `*` stands for a part of one name, `**` for any directories.

/// Returns whether a path matches a pattern.
pub fn matches(pattern: &str, path: &str) -> bool {
    let pattern: Vec<&str> = parts(pattern).collect();
    let path: Vec<&str> = parts(path).collect();
    matches_parts(&pattern, &path)
}

/// Returns the names in a path.
pub(crate) fn parts(path: &str) -> impl Iterator<Item = &str> {
    path.split('/').filter(|part| !part.is_empty())
}

fn matches_parts(pattern: &[&str], path: &[&str]) -> bool {
    match (pattern, path) {
        ([], []) => true,
        (["**", rest @ ..], _) => {
            matches_parts(rest, path)
                || matches!(path, [_, below @ ..] if matches_parts(pattern, below))
        }
        ([name, rest @ ..], [first, below @ ..]) => {
            matches_name(name, first) && matches_parts(rest, below)
        }
        _ => false,
    }
}

/// Returns whether one name matches a pattern of one name.
pub(crate) fn matches_name(pattern: &str, name: &str) -> bool {
    let Some((head, rest)) = pattern.split_once('*') else {
        return pattern == name;
    };
    let Some(name) = name.strip_prefix(head) else {
        return false;
    };
    let ends = name.char_indices().map(|(at, _)| at).chain([name.len()]);
    ends.into_iter().any(|at| matches_name(rest, &name[at..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stars_stand_for_names_and_directories() {
        for (pattern, path, expected) in [
            ("/etc/fstab", "/etc/fstab", true),
            ("/sys/block/*/md/level", "/sys/block/md0/md/level", true),
            ("/sys/block/*/md/level", "/sys/block/md0/level", false),
            ("/sys/block/md*/size", "/sys/block/sda/size", false),
            ("/a/b*c*", "/a/bxxcyy", true),
            ("/a/b*c", "/a/bxxcyy", false),
            ("/var/www/**/.htaccess", "/var/www/.htaccess", true),
            ("/var/www/**/.htaccess", "/var/www/a/b/.htaccess", true),
            ("/var/www/**/.htaccess", "/var/www/a/b", false),
        ] {
            assert_eq!(matches(pattern, path), expected, "{pattern} {path}");
        }
    }
}
