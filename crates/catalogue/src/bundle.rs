//! The message files, parsed once per language.

use std::sync::LazyLock;

use fluent_bundle::concurrent::FluentBundle;
use fluent_bundle::{FluentArgs, FluentResource};
use unic_langid::LanguageIdentifier;

use crate::language::Language;

type Bundle = FluentBundle<FluentResource>;

static ENGLISH: LazyLock<Bundle> = LazyLock::new(|| parsed(Language::English));
static GERMAN: LazyLock<Bundle> = LazyLock::new(|| parsed(Language::German));

/// Returns one message file in the given language.
macro_rules! file {
    ($language:expr, $name:literal) => {
        match $language {
            Language::English => include_str!(concat!("../messages/", $name, ".en.ftl")),
            Language::German => include_str!(concat!("../messages/", $name, ".de.ftl")),
        }
    };
}

/// Returns the message files that a report has as well, in Fluent's syntax. The others are for the
/// terminal and the live page.
pub const fn page_files(language: Language) -> [&'static str; 3] {
    [
        file!(language, "page"),
        file!(language, "live"),
        file!(language, "shipped"),
    ]
}

/// Returns all message files of a language, in Fluent's syntax.
pub const fn files(language: Language) -> [&'static str; 11] {
    let [page, live, shipped] = page_files(language);
    [
        page,
        live,
        shipped,
        file!(language, "show"),
        file!(language, "predict"),
        file!(language, "explain"),
        file!(language, "commands"),
        file!(language, "check"),
        file!(language, "reasons"),
        file!(language, "history"),
        file!(language, "assumed"),
    ]
}

fn parsed(language: Language) -> Bundle {
    let name: LanguageIdentifier = language.as_str().parse().unwrap_or_default();
    let mut bundle = Bundle::new_concurrent(vec![name]);
    // The printer escapes hidden characters in text from outside. Isolation marks around every
    // number would end up in text that a user copies.
    bundle.set_use_isolating(false);
    for source in files(language) {
        // The files are part of the program, and a test finds entries that do not parse.
        let resource = FluentResource::try_new(source.to_owned());
        let resource = resource.unwrap_or_else(|(good, _)| good);
        let _twice = bundle.add_resource(resource);
    }
    bundle
}

/// Returns the message `id` with these arguments. Without such a message, a debug build panics and
/// a release build returns the id.
pub(crate) fn formatted(id: &str, arguments: &FluentArgs, language: Language) -> String {
    let bundle = match language {
        Language::English => &*ENGLISH,
        Language::German => &*GERMAN,
    };
    let pattern = bundle.get_message(id).and_then(|message| message.value());
    let Some(pattern) = pattern else {
        debug_assert!(false, "the catalogue has no message `{id}`");
        return id.to_owned();
    };
    let mut mistakes = Vec::new();
    let text = bundle.format_pattern(pattern, Some(arguments), &mut mistakes);
    debug_assert!(mistakes.is_empty(), "`{id}`: {mistakes:?}");
    text.into_owned()
}
