//! The documents. The failures: a page was moved, and a dozen links led nowhere; and a page that
//! began with ten lines had sixty-nine kilobytes, so nobody found the limit that they had run into.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Component, Path, PathBuf};

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

use crate::support::repository;

/// The most bytes of pages that must stay short, and where they are: a file, or all pages of a folder.
const BYTES_MAX: [(&str, usize); 3] = [
    ("README.md", 7 * 1024),
    ("ARCHITECTURE.md", 12 * 1024),
    ("docs/", 12 * 1024),
];

/// Pages that a reader searches, made from the program: every key of a study, every rule of `check`, every
/// planted error.
const REFERENCE: [&str; 3] = ["docs/check-rules.md", "docs/planted.md", "docs/study.md"];

/// Folders without documents of ours.
const FOREIGN: [&str; 2] = ["target", "node_modules"];

/// Returns every document of the tree by its name below the root.
pub(crate) fn documents() -> BTreeMap<String, String> {
    let root = repository();
    let mut found = BTreeMap::new();
    let mut pending = vec![root.to_owned()];
    while let Some(directory) = pending.pop() {
        for entry in fs::read_dir(directory).unwrap() {
            let entry = entry.unwrap();
            let (path, name) = (entry.path(), entry.file_name().into_string().unwrap());
            if entry.file_type().unwrap().is_dir() {
                if !name.starts_with('.') && !FOREIGN.contains(&name.as_str()) {
                    pending.push(path);
                }
            } else if name.ends_with(".md") {
                let below = path.strip_prefix(root).unwrap().display().to_string();
                found.insert(below, fs::read_to_string(&path).unwrap());
            }
        }
    }
    assert!(found.len() > 40, "too few documents were found");
    found
}

/// What a document points to, and what can be pointed to in it.
#[derive(Default)]
struct Outline {
    targets: Vec<String>,
    anchors: BTreeSet<String>,
}

/// Reads a document as GitHub does.
fn outline(text: &str) -> Outline {
    let mut outline = Outline::default();
    let mut heading: Option<String> = None;
    for event in Parser::new_ext(text, Options::ENABLE_TABLES) {
        match event {
            Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
                outline.targets.push(dest_url.into_string());
            }
            Event::Start(Tag::Heading { .. }) => heading = Some(String::new()),
            Event::End(TagEnd::Heading(_)) => {
                let slug = slug(&heading.take().unwrap());
                let again = (1..).map(|count| format!("{slug}-{count}"));
                let mut names = std::iter::once(slug.clone()).chain(again);
                let free = names.find(|name| !outline.anchors.contains(name));
                outline.anchors.extend(free);
            }
            Event::Text(part) | Event::Code(part) => {
                if let Some(heading) = &mut heading {
                    heading.push_str(&part);
                }
            }
            _ => {}
        }
    }
    outline
}

/// Returns the anchor of a heading, as <https://github.com/gjtorikian/html-pipeline> makes it.
fn slug(heading: &str) -> String {
    let kept = heading.chars().filter_map(|c| match c {
        ' ' => Some('-'),
        c if c.is_alphanumeric() || c == '-' || c == '_' => Some(c),
        _ => None,
    });
    kept.collect::<String>().to_lowercase()
}

/// Returns what is wrong with the links of `documents`; `exists` says whether there is such a file or folder.
fn broken_links(
    documents: &BTreeMap<String, String>,
    exists: impl Fn(&Path) -> bool,
) -> Vec<String> {
    let outlines = documents
        .iter()
        .map(|(name, text)| (name, outline(text)))
        .collect::<BTreeMap<_, _>>();
    let mut broken = Vec::new();
    for (name, outline) in &outlines {
        for target in &outline.targets {
            if target.contains("://") || target.starts_with("mailto:") {
                continue;
            }
            let (file, anchor) = target.split_once('#').unwrap_or((target, ""));
            let path = match file {
                "" => PathBuf::from(name),
                file => normal(&Path::new(name).parent().unwrap().join(file)),
            };
            let other = outlines.get(&path.display().to_string());
            let is_there = other.is_some() || exists(&path);
            let has_anchor =
                anchor.is_empty() || other.is_some_and(|it| it.anchors.contains(anchor));
            if !is_there || !has_anchor {
                broken.push(format!("{name}: {target}"));
            }
        }
    }
    broken
}

/// Returns a path without `.` and `..`.
fn normal(path: &Path) -> PathBuf {
    let mut found = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => {
                found.pop();
            }
            Component::CurDir => {}
            part => found.push(part),
        }
    }
    found
}

#[test]
fn every_link_of_a_document_has_its_file_and_its_heading() {
    let root = repository();
    let mut documents = documents();
    // What the program printed, text of others among it, is no document of ours.
    documents.retain(|name, _| !name.contains("/golden/"));
    let broken = broken_links(&documents, |path| root.join(path).exists());
    assert!(broken.is_empty(), "broken links:\n{}", broken.join("\n"));
}

#[test]
fn a_broken_link_is_found() {
    let page = "# A `b` c\n## Twice, once\n## Twice once\n\
        [1](x.md) [2](#a-b-c) [3](#twice-once-1) [4](#twice-once-2) [5](../docs/y.md#d) [6](y.md#e) ![7](z.svg)\n\
        [8](https://example.org/x) `[9](x.md)`\n\n```\n[10](x.md)\n```\n";
    let documents = [
        ("docs/x.md", "# X"),
        ("docs/y.md", "# d"),
        ("docs/page.md", page),
    ];
    let documents = documents.map(|(name, text)| (name.to_owned(), text.to_owned()));
    assert_eq!(
        broken_links(&BTreeMap::from(documents), |path| path
            == Path::new("docs/z.png")),
        [
            "docs/page.md: #twice-once-2",
            "docs/page.md: y.md#e",
            "docs/page.md: z.svg"
        ]
    );
}

#[test]
fn pages_that_a_newcomer_reads_stay_short() {
    let mut long = Vec::new();
    let pages = documents().into_iter();
    for (name, text) in pages.filter(|(name, _)| !REFERENCE.contains(&name.as_str())) {
        let is_at =
            |place: &str| name == place || (place.ends_with('/') && name.starts_with(place));
        for (_, most) in BYTES_MAX.iter().filter(|(place, _)| is_at(place)) {
            if text.len() > *most {
                long.push(format!("{name} has {} bytes, at most {most}", text.len()));
            }
        }
    }
    assert!(
        long.is_empty(),
        "split by reader, or cut:\n{}",
        long.join("\n")
    );
}

/// `make site-docs` refuses a page that its list lacks, but runs only in `make soak`.
#[test]
fn the_site_of_documents_has_every_page() {
    let list = repository().join("packaging/site-docs/mkdocs.yml");
    let list = fs::read_to_string(list).unwrap();
    let is_a_page = |name: &str| name.starts_with("docs/") || !name.contains('/');
    let missing: Vec<String> = (documents().into_keys())
        .filter(|name| is_a_page(name) && !list.contains(&format!(" {name}\n")))
        .collect();
    assert!(
        missing.is_empty(),
        "packaging/site-docs/mkdocs.yml: {missing:?}"
    );
}
