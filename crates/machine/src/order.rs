//! The natural order of device names: `sda`, `sdz`, `sdaa`; `nvme2n1` before `nvme10n1`.

/// A part of a name that is compared as one unit.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Part {
    /// Digits, or the letters with which the kernel numbers disks: the shorter comes first.
    Count { length: usize, digits: String },
    /// Anything else.
    Text(String),
}

/// The sort key of a name.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct OrderKey(Vec<Part>);

/// Returns the sort key of `name`, which may be a version: 6.1.0-9 before 6.1.0-18.
pub fn order_key(name: &str) -> OrderKey {
    let mut parts = Vec::new();
    let mut rest = name;
    // The kernel numbers these with letters: a..z, aa..zz (`sd_format_disk_name` in
    // drivers/scsi/sd.c).
    for family in ["sd", "vd", "hd", "xvd"] {
        let Some(tail) = name.strip_prefix(family) else {
            continue;
        };
        let letters_end = tail
            .find(|c: char| !c.is_ascii_lowercase())
            .unwrap_or(tail.len());
        let (letters, after) = tail.split_at(letters_end);
        parts.push(Part::Text(family.to_owned()));
        parts.push(count(letters));
        rest = after;
    }
    while let Some(first) = rest.chars().next() {
        let is_digits = first.is_ascii_digit();
        let end = rest
            .find(|c: char| c.is_ascii_digit() != is_digits)
            .unwrap_or(rest.len());
        let (part, after) = rest.split_at(end);
        parts.push(if is_digits {
            count(part.trim_start_matches('0'))
        } else {
            Part::Text(part.to_owned())
        });
        rest = after;
    }
    OrderKey(parts)
}

fn count(digits: &str) -> Part {
    Part::Count {
        length: digits.len(),
        digits: digits.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_sort_in_natural_order() {
        let sorted = [
            "dm-2",
            "dm-10",
            "md0",
            "md127",
            "nvme0n1",
            "nvme0n1p2",
            "nvme0n1p10",
            "nvme2n1",
            "nvme10n1",
            "sda",
            "sda1",
            "sda10",
            "sdz",
            "sdaa",
            "sdab",
            "vda",
            "xvda",
            "xvdaa",
            "zfs-6.1.0-9-amd64",
            "zfs-6.1.0-18-amd64",
            "zfs-6.1.0-18-rt",
        ];
        let mut names: Vec<&str> = sorted.iter().rev().copied().collect();
        names.sort_by_key(|name| order_key(name));
        assert_eq!(names, sorted);
    }
}
