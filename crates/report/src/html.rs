//! A page as one HTML file, and the shell of the live page.
//!
//! The file contains everything: the front end (`assets/`, built from `web/`), the messages of both
//! languages, and the page as JSON. It makes no network requests, and its content security policy
//! forbids them. The policy lists scripts and styles by their hashes, so text from outside can never
//! run as one.

use std::sync::LazyLock;

use serde::Serialize;
use serde_json::{Map, Value};
use stripewise_catalogue::{Language, Words, files, page_files};
use stripewise_units::mark::begins_with;
use stripewise_units::visible::visible_json;

use crate::page::Page;

/// What the front end takes from packages, which changes only with their versions.
pub const PACKAGES_JS: &str = include_str!("../assets/packages.js");
/// The front end's own script.
pub const APP_JS: &str = include_str!("../assets/app.js");
/// The front end's scripts, in the order in which they run.
pub const SCRIPTS: [&str; 2] = [PACKAGES_JS, APP_JS];
/// The front end's style sheet.
pub const APP_CSS: &str = include_str!("../assets/app.css");
/// The licences of the front end's dependencies.
pub const LICENCES: &str = include_str!("../assets/LICENSES.txt");

const PACKAGES_JS_HASH: &str = include_str!("../assets/packages.js.sha256");
const APP_JS_HASH: &str = include_str!("../assets/app.js.sha256");
const APP_CSS_HASH: &str = include_str!("../assets/app.css.sha256");

static MESSAGES: LazyLock<String> = LazyLock::new(|| in_languages(|of| page_files(of).join("\n")));

/// The live page also shows answers of commands, whose messages a report has no use for.
static LIVE_MESSAGES: LazyLock<String> = LazyLock::new(|| in_languages(|of| files(of).join("\n")));

/// Returns the messages of each language as JSON.
fn in_languages(messages: fn(Language) -> String) -> String {
    let of = |language: Language| (language.as_str().to_owned(), messages(language).into());
    let all: Map<String, Value> = Language::ALL.into_iter().map(of).collect();
    without_markup(&Value::Object(all).to_string())
}

/// Returns the messages of the front end as JSON: for each language its files, in Fluent's syntax.
///
/// The front end has no sentence of its own, so that a changed one changes no script.
pub fn messages() -> &'static str {
    &MESSAGES
}

/// Returns a page as one HTML file; without a language it uses the reader's.
///
/// # Errors
/// If the page cannot be written as JSON, which never happens for pages from [`Page::new`].
pub fn report(page: &Page, language: Option<Language>) -> Result<String, serde_json::Error> {
    report_by("report", page, language)
}

/// As [`report`], made by another command, which [`is_page`] finds in it.
///
/// # Errors
/// As [`report`].
pub fn report_by(
    command: &str,
    page: &Page,
    language: Option<Language>,
) -> Result<String, serde_json::Error> {
    let policy = format!(
        "default-src 'none'; script-src {PACKAGES_JS_HASH} {APP_JS_HASH}; \
         style-src-elem {APP_CSS_HASH}; style-src-attr 'unsafe-inline'; img-src data: blob:; base-uri 'none'; form-action 'none'"
    );
    let body = format!(
        "<style>{APP_CSS}</style>\n</head>\n<body>\n\
         <noscript>This report is drawn by the scripts that it contains; it makes no network requests.</noscript>\n\
         <div id=\"app\"></div>\n\
         <script type=\"application/json\" id=\"messages\">{}</script>\n\
         <script type=\"application/json\" id=\"page\">{}</script>\n\
         <script>{PACKAGES_JS}</script>\n\
         <script>{APP_JS}</script>\n\
         <!--\n{LICENCES}-->\n",
        messages(),
        data(page)?
    );
    let policy = format!("<meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">\n");
    Ok(document(
        command,
        language,
        &title(page, language.unwrap_or_default()),
        &(policy + &body),
    ))
}

/// Returns the shell of the live page, which loads `/packages.js`, `/app.js` and `/app.css` from its server.
///
/// # Errors
/// See [`report`].
pub fn live_shell(version: &str) -> Result<String, serde_json::Error> {
    #[derive(Serialize)]
    struct Live<'a> {
        version: &'a str,
    }
    let body = format!(
        "<link rel=\"stylesheet\" href=\"/app.css\">\n</head>\n<body>\n\
         <div id=\"app\"></div>\n\
         <script type=\"application/json\" id=\"messages\">{}</script>\n\
         <script type=\"application/json\" id=\"live\">{}</script>\n\
         <script src=\"/packages.js\"></script>\n\
         <script src=\"/app.js\"></script>\n",
        *LIVE_MESSAGES,
        data(&Live { version })?
    );
    Ok(document("serve", None, "Stripewise", &body))
}

/// Returns a document whose head is open until `rest` closes it and opens the body.
/// `command` is the command that makes the page, which [`is_page`] finds in it.
pub(crate) fn document(
    command: &str,
    language: Option<Language>,
    title: &str,
    rest: &str,
) -> String {
    format!(
        "{}{}{GENERATOR_END}<title>{}</title>\n\
         <link rel=\"icon\" href=\"data:,\">\n{rest}</body>\n</html>\n",
        beginning(command, language),
        env!("CARGO_PKG_VERSION"),
        escaped(title)
    )
}

/// Returns a page up to the version of the program that made it.
fn beginning(command: &str, language: Option<Language>) -> String {
    let code = language.map_or("", Language::as_str);
    let lang = language.unwrap_or_default().as_str();
    format!(
        "<!doctype html>\n<html lang=\"{lang}\" data-language=\"{code}\">\n<head>\n\
         <meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <meta name=\"generator\" content=\"stripewise {command} "
    )
}

/// What follows the version.
const GENERATOR_END: &str = "\">\n";

/// Returns whether a file that begins with these bytes is a page of a command, such as `report`.
pub fn is_page(command: &str, head: &[u8]) -> bool {
    let languages = Language::ALL.into_iter().map(Some).chain([None]);
    languages
        .map(|language| beginning(command, language))
        .any(|beginning| begins_with(head, &beginning, GENERATOR_END))
}

/// The most characters of a question in a title.
const TITLE_MAX: usize = 120;

fn title(page: &Page, language: Language) -> String {
    let question = page.question.in_language(language);
    let title: String = question.chars().take(TITLE_MAX).collect();
    format!("{title} · Stripewise")
}

/// Returns data as JSON in which no HTML parser finds a tag or the end of a script.
fn data(value: &impl Serialize) -> Result<String, serde_json::Error> {
    let json = serde_json::to_string(value)?;
    Ok(without_markup(&visible_json(&json)))
}

/// Returns the same JSON without the characters of tags and references.
fn without_markup(json: &str) -> String {
    // Outside its strings JSON has none of these characters.
    let mut text = String::with_capacity(json.len());
    for c in json.chars() {
        match c {
            '<' => text.push_str("\\u003c"),
            '>' => text.push_str("\\u003e"),
            '&' => text.push_str("\\u0026"),
            c => text.push(c),
        }
    }
    text
}

/// Returns text that no HTML parser takes for anything else, also in an attribute.
pub fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            c => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use stripewise_study::cell::Axis;

    use super::*;

    #[test]
    fn data_cannot_end_its_script() {
        let hostile = "</script><script>alert(1)</script><!--\u{2028}&amp;";
        let json = data(&hostile).unwrap();
        assert!(!json.contains(['<', '>', '&', '\u{2028}']));
        assert_eq!(serde_json::from_str::<String>(&json).unwrap(), hostile);
    }

    #[test]
    fn the_messages_arrive_as_they_are_and_cannot_end_their_script() {
        let json = messages();
        assert!(!json.contains(['<', '>', '&']));
        let read: Value = serde_json::from_str(json).unwrap();
        for language in Language::ALL {
            let files = page_files(language).join("\n");
            assert_eq!(read[language.as_str()].as_str(), Some(files.as_str()));
        }
        let shell = live_shell("1").unwrap();
        assert!(shell.contains(LIVE_MESSAGES.as_str()));
        assert!(!LIVE_MESSAGES.contains(['<', '>', '&']));
    }

    #[test]
    fn the_front_end_gets_the_name_of_every_axis() {
        for language in Language::ALL {
            let files = page_files(language).join("\n");
            for axis in Axis::all() {
                let id = axis.message().id;
                let begin = format!("\n{id} = ");
                assert_eq!(files.matches(&begin).count(), 1, "{language}: `{id}`");
            }
        }
    }

    #[test]
    fn our_script_has_no_message_so_that_a_sentence_changes_no_asset() {
        for language in Language::ALL {
            let files = page_files(language);
            let messages = files.iter().flat_map(|file| file.lines());
            let sentences = messages.filter_map(|line| line.split_once(" = "));
            let long = sentences.filter(|(_, words)| words.split(' ').count() > 4);
            let mut seen = 0;
            for (id, words) in long {
                assert!(!APP_JS.contains(words), "{id}");
                seen += 1;
            }
            assert!(seen > 100, "{seen}");
        }
    }

    #[test]
    fn a_title_is_text() {
        assert_eq!(
            escaped("<b a=\"1\" b='2'>&"),
            "&lt;b a=&quot;1&quot; b=&#39;2&#39;&gt;&amp;"
        );
    }

    #[test]
    fn our_script_is_small_as_each_version_of_it_is_kept() {
        assert!(APP_JS.len() <= 150_000, "{} bytes", APP_JS.len());
    }

    #[test]
    fn the_scripts_do_not_end_themselves() {
        for script in SCRIPTS {
            assert!(!script.contains("</script") && !script.contains("<!--"));
        }
        assert!(!APP_CSS.contains("</style"));
    }

    #[test]
    fn the_licences_come_with_the_report_and_stay_a_comment() {
        assert!(LICENCES.contains("Apache License") && LICENCES.contains("preact"));
        assert!(!LICENCES.contains("--"), "a comment could end there");
    }
}
