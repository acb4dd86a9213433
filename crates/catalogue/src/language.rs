//! The languages of the catalogue, and the choice of the user's language.

use std::fmt;

/// A language of the catalogue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Language {
    /// English, the language of JSON, CSV, logs and errors.
    #[default]
    English,
    /// German.
    German,
}

impl Language {
    /// All languages; the first one is the default.
    pub const ALL: [Language; 2] = [Language::English, Language::German];

    /// Returns the language tag: `en`, `de`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Language::English => "en",
            Language::German => "de",
        }
    }

    /// Returns the language of a locale name (`de_AT.UTF-8`, `de-CH`, `C`); `None` if the catalogue
    /// lacks it.
    pub fn of_locale(locale: &str) -> Option<Language> {
        let language = locale
            .split(['_', '-', '.', '@'])
            .next()
            .unwrap_or_default();
        let is_named = |one: &Language| one.as_str().eq_ignore_ascii_case(language);
        Language::ALL.into_iter().find(is_named)
    }

    /// Returns the language of messages that the environment requests: that of the first of
    /// `LC_ALL`, `LC_MESSAGES` and `LANG` that is set and not empty (POSIX.1-2017, 8.2); else
    /// English.
    pub fn of_environment(variable: impl Fn(&str) -> Option<String>) -> Language {
        let values = ["LC_ALL", "LC_MESSAGES", "LANG"]
            .into_iter()
            .filter_map(variable);
        let locale = values.into_iter().find(|value| !value.is_empty());
        locale
            .and_then(|locale| Language::of_locale(&locale))
            .unwrap_or_default()
    }
}

impl fmt::Display for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(variables: &[(&str, &str)]) -> Language {
        Language::of_environment(|name| {
            let found = variables.iter().find(|(one, _)| *one == name);
            found.map(|(_, value)| (*value).to_owned())
        })
    }

    #[test]
    fn the_first_variable_that_is_set_decides() {
        assert_eq!(of(&[]), Language::English);
        assert_eq!(of(&[("LANG", "de_DE.UTF-8")]), Language::German);
        assert_eq!(of(&[("LANG", "DE")]), Language::German);
        assert_eq!(
            of(&[("LANG", "de_AT@euro"), ("LC_MESSAGES", "")]),
            Language::German
        );
        assert_eq!(
            of(&[("LANG", "de_DE"), ("LC_MESSAGES", "en_GB")]),
            Language::English
        );
        assert_eq!(
            of(&[("LANG", "de_DE"), ("LC_ALL", "C.UTF-8")]),
            Language::English
        );
        assert_eq!(of(&[("LANG", "fr_FR.UTF-8")]), Language::English);
        assert_eq!(of(&[("LANG", "deu")]), Language::English);
    }
}
