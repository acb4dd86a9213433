//! A page that loops, allocates or recurses without end, and a broken front end: each must end
//! within its limit, with an error that says so. Also tests the functions of the prelude.

use std::time::Duration;

use super::*;

const SMALL: Limits = Limits {
    memory_bytes: 16 << 20,
    stack_bytes: 256 << 10,
    time: Duration::from_millis(300),
};

/// Loads a front end of one script.
fn load(script: &str) -> Result<Engine, FigureError> {
    let front_end = FrontEnd {
        scripts: &[script],
        messages_json: "{\"en\": \"hi = Hi\"}",
    };
    Engine::load(front_end, SMALL)
}

/// Runs `expression` as the list of figures.
fn evaluate(expression: &str) -> Result<String, FigureError> {
    let bundle = format!(
        "globalThis.stripewise = {{ figure() {{}}, figures(page, language) {{ return {expression}; }} }};"
    );
    let engine = load(&bundle)?;
    engine.call("it", "figures", &["the page", "de"])
}

fn error(expression: &str) -> String {
    evaluate(expression).unwrap_err().to_string()
}

#[test]
fn text_goes_in_and_comes_out() {
    assert_eq!(evaluate("page + ' ' + language").unwrap(), "the page de");
    assert_eq!(evaluate("'Größe 😀 \\u0000'").unwrap(), "Größe 😀 \0");
}

#[test]
fn the_scripts_run_in_order_and_find_the_messages() {
    let front_end = FrontEnd {
        scripts: &[
            "var taken = { words: JSON.parse(messagesJson).en };",
            "globalThis.stripewise = { figure() {}, figures: () => taken.words };",
        ],
        messages_json: "{\"en\": \"hi = Hi\"}",
    };
    let engine = Engine::load(front_end, SMALL).unwrap();
    assert_eq!(engine.call("it", "figures", &[]).unwrap(), "hi = Hi");
}

#[test]
fn a_character_cut_in_half_becomes_the_replacement_character() {
    assert_eq!(evaluate("'😀'.slice(0, 1) + 'x'").unwrap(), "\u{FFFD}x");
    let width = evaluate("String(textWidthPx('😀'.slice(1), '10px x'))").unwrap();
    assert_eq!(width, text_width_px("\u{FFFD}", "10px x").to_string());
}

#[test]
fn a_loop_without_end_is_stopped() {
    let stopped = evaluate("(() => { for (;;) try { for (;;); } catch { } })()").unwrap_err();
    assert!(matches!(stopped, FigureError::Time { .. }), "{stopped}");
    let looping = load("for (;;);").err().unwrap();
    assert!(matches!(looping, FigureError::Time { .. }), "{looping}");
}

#[test]
fn a_pattern_that_backtracks_without_end_is_stopped() {
    let stopped = evaluate("String(/^(a+)+$/.test('a'.repeat(40) + 'b'))").unwrap_err();
    assert!(matches!(stopped, FigureError::Time { .. }), "{stopped}");
}

#[test]
fn memory_without_end_is_refused() {
    let stopped = evaluate(
        "(() => { const all = []; for (;;) all.push('x'.repeat(1 << 20) + all.length); })()",
    );
    let stopped = stopped.unwrap_err();
    assert!(matches!(stopped, FigureError::Memory { .. }), "{stopped}");
}

#[test]
fn recursion_without_end_and_nesting_without_end_are_errors() {
    assert_eq!(
        error("(function again() { return again() + 1; })()"),
        "the report's front end failed to make it: Maximum call stack size exceeded"
    );
    assert!(
        error("JSON.stringify(JSON.parse('['.repeat(1e5) + ']'.repeat(1e5)))").contains("stack")
    );
}

#[test]
fn a_thrown_error_becomes_one_bounded_line() {
    assert_eq!(
        error("(() => { throw new Error('a\\n\\u001b[31m\\u202Eb'); })()"),
        "the report's front end failed to make it: a [31mb"
    );
    assert!(error("(() => { throw new Error('x'.repeat(1e5)); })()").len() < 600);
    assert_eq!(
        error("(() => { throw 3; })()"),
        "the report's front end failed to make it: a thrown int"
    );
    assert!(error("3").ends_with("the answer is not a string"));
}

#[test]
fn a_broken_front_end_says_what_is_wrong() {
    let load = |script| load(script).err().unwrap().to_string();
    assert_eq!(
        load("globalThis.stripewise = { figures() {} };"),
        "failed to load the report's front end: stripewise.figure is not a function"
    );
    assert!(load("").ends_with("stripewise.figures is not a function"));
    assert!(load("document.title").ends_with("document is not defined"));
    assert!(load("(").starts_with("failed to load the report's front end: "));
}

#[test]
fn there_are_no_files_no_network_and_no_modules() {
    let names = "['require', 'std', 'os', 'process', 'fetch', 'XMLHttpRequest', 'document', 'window', 'Worker']";
    assert_eq!(
        evaluate(&format!(
            "{names}.filter((name) => name in globalThis).join()"
        ))
        .unwrap(),
        ""
    );
}

#[test]
fn timers_never_fire_and_random_numbers_repeat() {
    assert_eq!(
        evaluate("(console.warn('x'), String(setTimeout(() => { throw 1; }, 0)))").unwrap(),
        "0"
    );
    let drawn = || evaluate("[1, 2, 3].map(() => Math.random().toFixed(6)).join(' ')").unwrap();
    assert_eq!(drawn(), drawn());
    assert_eq!(drawn(), "0.000022 0.085032 0.601353");
}
