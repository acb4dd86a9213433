//! "Did you mean": the known name nearest to an unknown one.

/// The shortest name that is looked for as a part of another.
const PART_LEN_MIN: usize = 3;

/// Returns the known name that differs least from `name`, if it differs in a third of its letters
/// or less; else the shortest with all of its words: `mysql-in-vm` for `mysql`.
pub fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let known: Vec<&str> = known.into_iter().collect();
    let distances = known
        .iter()
        .map(|known| (strsim::damerau_levenshtein(name, known), *known));
    let alike = distances
        .min()
        .filter(|(distance, known)| *distance <= known.len().div_ceil(3).max(1));
    if let Some((_, alike)) = alike {
        return Some(alike);
    }
    let has = |known: &&str| words(name).all(|word| words(known).any(|own| own == word));
    let fuller = known.into_iter().filter(has);
    let is_long = name.len() >= PART_LEN_MIN;
    fuller
        .min_by_key(|known| (known.len(), *known))
        .filter(|_| is_long)
}

fn words(name: &str) -> impl Iterator<Item = &str> {
    name.split(['-', '_', '.', ' '])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_typo_has_a_near_name_and_another_word_has_none() {
        let known = ["sata-ssd", "nvme-ssd", "hdd-7200"];
        assert_eq!(nearest("sata-sdd", known), Some("sata-ssd"));
        assert_eq!(nearest("hd-7200", known), Some("hdd-7200"));
        assert_eq!(nearest("floppy", known), None);
        assert_eq!(nearest("x", []), None);
        let loads = ["mysql-in-vm-log", "mysql-in-vm", "oltp"];
        assert_eq!(nearest("mysql", loads), Some("mysql-in-vm"));
        assert_eq!(nearest("mysql-log", loads), Some("mysql-in-vm-log"));
        assert_eq!(nearest("vm", loads), None, "too short to mean one");
    }
}
