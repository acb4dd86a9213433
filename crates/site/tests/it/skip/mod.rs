//! Tests that cannot run.

/// Says that a test is skipped, because something that could be installed is missing.
///
/// # Panics
/// Where everything must be tested, as in CI.
pub fn skip_unless_all(why: &str) {
    let must_be_tested = std::env::var_os("STRIPEWISE_TEST_ALL").is_some();
    assert!(!must_be_tested, "STRIPEWISE_TEST_ALL is set, and {why}");
    eprintln!("SKIPPED: {why}");
}
