//! Guards against a list of planted errors whose places in the source have changed: `ci/planted.sh`
//! would find that only in `make soak`.

use std::path::Path;

#[test]
fn every_planted_error_has_its_place_in_the_source() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(root.join("planted.toml")).unwrap();
    let list: toml_edit::DocumentMut = text.parse().unwrap();
    let errors = list["error"].as_array_of_tables().unwrap();
    let page = std::fs::read_to_string(root.join("../../docs/planted.md")).unwrap();
    for error in errors {
        let field = |key: &str| error[key].as_str().unwrap();
        let (rule, file) = (field("rule"), field("file"));
        let source = std::fs::read_to_string(root.join("../sim/src").join(file)).unwrap();
        assert_eq!(source.matches(field("old")).count(), 1, "{rule}: {file}");
        // An expression stands in its place, so what it begins with is no part of a longer name.
        let before = source.split(field("old")).next().unwrap();
        let is_part = |c: char| c.is_alphanumeric() || "._".contains(c);
        let is_cut = before.ends_with(is_part) && field("old").starts_with(is_part);
        assert!(!is_cut, "{rule}: {file}");
        assert!(page.contains(&format!("| {rule} |")), "{rule}");
    }
    assert!(errors.len() >= 30);
}
