//! A page as one HTML file, and the shell of the live page.
//!
//! The file contains everything: the front end (`assets/`, built from `web/`), and the page as
//! JSON. It makes no network requests, and its content security policy forbids them. The policy
//! lists scripts and styles by their hashes, so text from outside can never run as one.

use serde::Serialize;
use stripewise_study::mark::begins_with;
use stripewise_study::visible::visible_json;

use stripewise_catalogue::Language;

use crate::page::Page;

/// The front end's script.
pub const APP_JS: &str = include_str!("../assets/app.js");
/// The front end's style sheet.
pub const APP_CSS: &str = include_str!("../assets/app.css");
/// The licences of the front end's dependencies.
pub const LICENCES: &str = include_str!("../assets/LICENSES.txt");

const APP_JS_HASH: &str = include_str!("../assets/app.js.sha256");
const APP_CSS_HASH: &str = include_str!("../assets/app.css.sha256");

/// Returns a page as one HTML file; without a language it uses the reader's.
///
/// # Errors
/// If the page cannot be written as JSON, which never happens for pages from [`Page::new`].
pub fn report(page: &Page, language: Option<Language>) -> Result<String, serde_json::Error> {
    let policy = format!(
        "default-src 'none'; script-src {APP_JS_HASH}; style-src-elem {APP_CSS_HASH}; \
         style-src-attr 'unsafe-inline'; img-src data: blob:; base-uri 'none'; form-action 'none'"
    );
    let body = format!(
        "<style>{APP_CSS}</style>\n</head>\n<body>\n\
         <noscript>This report is drawn by the script that it contains; it makes no network requests.</noscript>\n\
         <div id=\"app\"></div>\n\
         <script type=\"application/json\" id=\"page\">{}</script>\n\
         <script>{APP_JS}</script>\n\
         <!--\n{LICENCES}-->\n",
        data(page)?
    );
    let policy = format!("<meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">\n");
    Ok(document(
        "report",
        language,
        &title(page),
        &(policy + &body),
    ))
}

/// Returns the shell of the live page, which loads `/app.js` and `/app.css` from its server.
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
         <script type=\"application/json\" id=\"live\">{}</script>\n\
         <script src=\"/app.js\"></script>\n",
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

fn title(page: &Page) -> String {
    let title: String = page.question.chars().take(TITLE_MAX).collect();
    format!("{title} · Stripewise")
}

/// Returns data as JSON in which no HTML parser finds a tag or the end of a script.
fn data(value: &impl Serialize) -> Result<String, serde_json::Error> {
    let json = serde_json::to_string(value)?;
    let json = visible_json(&json);
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
    Ok(text)
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
    use super::*;

    #[test]
    fn data_cannot_end_its_script() {
        let hostile = "</script><script>alert(1)</script><!--\u{2028}&amp;";
        let json = data(&hostile).unwrap();
        assert!(!json.contains(['<', '>', '&', '\u{2028}']));
        assert_eq!(serde_json::from_str::<String>(&json).unwrap(), hostile);
    }

    #[test]
    fn a_title_is_text() {
        assert_eq!(
            escaped("<b a=\"1\" b='2'>&"),
            "&lt;b a=&quot;1&quot; b=&#39;2&#39;&gt;&amp;"
        );
    }

    #[test]
    fn the_script_does_not_end_itself() {
        assert!(!APP_JS.contains("</script"));
        assert!(!APP_CSS.contains("</style"));
    }

    #[test]
    fn the_licences_come_with_the_report_and_stay_a_comment() {
        assert!(LICENCES.contains("Apache License") && LICENCES.contains("preact"));
        assert!(!LICENCES.contains("--"), "a comment could end there");
    }
}
