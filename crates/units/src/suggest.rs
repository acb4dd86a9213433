//! "Did you mean": the known name nearest to an unknown one.

/// Returns the known name that differs least from `name`, if it differs in a third of its letters
/// or less.
pub fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    known
        .into_iter()
        .map(|known| (strsim::damerau_levenshtein(name, known), known))
        .min()
        .filter(|(distance, known)| *distance <= known.len().div_ceil(3).max(1))
        .map(|(_, known)| known)
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
    }
}
