//! Pages without a script: one HTML file to mail or to print, in both languages.
//!
//! Every sentence of ours stands in it in each language, and the style sheet shows one of them; the
//! reader switches with two radio buttons.

use stripewise_catalogue::{Language, Message, Words};

use crate::html::{document, escaped};
use crate::text::strip_control;

/// The frame of a page, and the blocks in it; the page with a script draws the same blocks.
const STYLE: &str = concat!(
    include_str!("static_page.css"),
    include_str!("render/blocks.css")
);

/// Returns a page: its title, what it is about, and its body, whose text is escaped.
///
/// `command` is the command that makes it.
pub(crate) fn page(
    command: &str,
    language: Language,
    (title, about): (&Message, Option<&Message>),
    body: &str,
) -> String {
    let choices = Language::ALL.map(|one| {
        let checked = if one == language { " checked" } else { "" };
        let name = match one {
            Language::English => "English",
            Language::German => "Deutsch",
        };
        format!(
            "<label><input type=\"radio\" name=\"language\" id=\"say-{one}\"{checked}> <span lang=\"{one}\">{name}</span></label>\n"
        )
    });
    let policy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'";
    let rest = format!(
        "<meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">\n\
         <style>{STYLE}</style>\n</head>\n<body>\n\
         <header>\n<fieldset>{}</fieldset>\n<h1>{}</h1>\n<p class=\"about\">{}stripewise {}</p>\n\
         </header>\n{body}",
        choices.concat(),
        bilingual(title),
        about
            .map(|about| bilingual(about) + " · ")
            .unwrap_or_default(),
        env!("CARGO_PKG_VERSION"),
    );
    let title = title.in_language(language);
    document(
        command,
        Some(language),
        &format!("{title} · Stripewise"),
        &rest,
    )
}

/// Returns a message in every language, each in an element of its own.
fn bilingual(message: &Message) -> String {
    let clean = message.clone().with_names(&|name| strip_control(name));
    let texts = Language::ALL.into_iter().map(|language| {
        let text = escaped(&clean.in_language(language));
        format!("<span class=\"say\" lang=\"{language}\">{text}</span>")
    });
    texts.collect()
}
