//! The failure: the front end's types differ from ours. A page would show a blank instead of a
//! number, and no compiler would notice. So `web/src/generated.ts` is generated from our types.

use std::collections::BTreeMap;

use expect_test::expect_file;
use stripewise_diagnose::changes::Change;
use stripewise_report::page::Page;
use ts_rs::{Config, TS, TypeVisitor};

use crate::advice::{AdviceLine, AdviceQuestion};
use crate::ask::{AskAnswer, StudyAnswer, WhyAnswer};
use crate::choices::Choices;
use crate::error::ApiError;
use crate::question::Question;
use crate::shown::{OfferLine, ShownAnswer};
use crate::stored::{RunLine, WatchLine};

const HEAD: &str = "\
// Written from the Rust types: UPDATE_EXPECT=1 cargo test -p stripewise-serve typescript
//
// The data of a page, and what the live page asks its server and gets. Numbers are in the unit that
// their key ends in. Names of studies, stacks and devices came from outside. A `Message` is a sentence
// for the reader's language; other sentences are English, for programs that read the JSON.
//
// Requests are JSON over loopback with the header `Authorization: Bearer TOKEN`. The token comes in the
// fragment of the page's address and is kept in sessionStorage.
";

/// Declarations by the names of their types: ts-rs visits the parts of a type in any order.
struct Declarations {
    config: Config,
    all: BTreeMap<String, String>,
}

impl TypeVisitor for Declarations {
    fn visit<T: TS + 'static + ?Sized>(&mut self) {
        if T::output_path().is_none() {
            return;
        }
        let name = T::ident(&self.config);
        let docs = T::docs().unwrap_or_default();
        let text = format!("{docs}export {}\n", T::decl(&self.config));
        match self.all.get(&name) {
            Some(known) => assert_eq!(*known, text, "two types are called {name}"),
            None => {
                self.all.insert(name, text);
                T::visit_dependencies(self);
            }
        }
    }
}

#[test]
fn typescript_matches_the_rust_types() {
    let mut declarations = Declarations {
        config: Config::new().with_large_int("number"),
        all: BTreeMap::new(),
    };
    declarations.visit::<Page>();
    declarations.visit::<RunLine>();
    declarations.visit::<WatchLine>();
    declarations.visit::<Choices>();
    declarations.visit::<Question>();
    declarations.visit::<AskAnswer>();
    declarations.visit::<Change>();
    declarations.visit::<WhyAnswer>();
    declarations.visit::<StudyAnswer>();
    declarations.visit::<AdviceQuestion>();
    declarations.visit::<AdviceLine>();
    declarations.visit::<OfferLine<'static>>();
    declarations.visit::<ShownAnswer>();
    declarations.visit::<ApiError>();
    let all = declarations.all.values().map(|text| laid_out(text));
    let text: Vec<String> = std::iter::once(HEAD.to_owned()).chain(all).collect();
    expect_file!["../../../web/src/generated.ts"].assert_eq(&text.join("\n"));
}

/// Returns a declaration with short comments in one line, and the content of braces indented.
fn laid_out(declaration: &str) -> String {
    let text = declaration.replace("/**\n * ", "/** ");
    let text = text.replace("\n */", " */").replace(", }", ",\n}");
    let mut depth = 0;
    let mut out = String::new();
    for line in text.lines() {
        let is_comment = line.starts_with("/**") || line.starts_with(" *");
        let count = |brace: char| line.matches(brace).filter(|_| !is_comment).count();
        let closes = usize::from(line.starts_with('}'));
        out.push_str(&"  ".repeat(depth - closes));
        out.push_str(line.trim_end());
        out.push('\n');
        depth = depth + count('{') - count('}');
    }
    out
}
