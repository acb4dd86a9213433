//! The last check of an SVG: it is well-formed, runs nothing and loads nothing.
//!
//! ECharts escapes every text. If it ever misses one, we refuse the figure, so that no foreign
//! script runs in the reader's browser. We add a title and a description for readers who cannot see
//! the picture.

use resvg::usvg::roxmltree::{Document, Node, ParsingOptions};

use crate::name::FigureName;

/// The elements of charts; all others are refused.
const ELEMENTS: [&str; 24] = [
    "svg",
    "g",
    "defs",
    "path",
    "rect",
    "circle",
    "ellipse",
    "line",
    "polyline",
    "polygon",
    "text",
    "tspan",
    "clipPath",
    "mask",
    "pattern",
    "linearGradient",
    "radialGradient",
    "stop",
    "filter",
    "feDropShadow",
    "use",
    "style",
    "title",
    "desc",
];

/// Most nodes that a figure may have; one of 5,000 cells has some ten thousand.
const NODES_MAX: u32 = 2_000_000;

/// Returns the checked drawing, with the title and description of `name` if there is one.
///
/// Removes characters that XML cannot hold, and bidirectional overrides, which can disguise a name.
///
/// # Errors
/// The first violation, in words.
pub(crate) fn finished(drawn: &str, name: Option<&FigureName>) -> Result<String, String> {
    let drawn: String = drawn
        .chars()
        .filter(|character| is_shown(*character))
        .collect();
    let options = ParsingOptions {
        allow_dtd: false,
        nodes_limit: NODES_MAX,
        ..ParsingOptions::default()
    };
    let document =
        Document::parse_with_options(&drawn, options).map_err(|error| error.to_string())?;
    let root = document.root_element();
    if !root.has_tag_name(("http://www.w3.org/2000/svg", "svg")) {
        return Err(format!("its root is `{}`", root.tag_name().name()));
    }
    document.descendants().try_for_each(check)?;
    let first = root.first_child().ok_or("it is empty")?;
    let (start, inside) = (root.range().start, first.range().start);
    let (before, opening, after) = (&drawn[..start], &drawn[start..inside], &drawn[inside..]);
    let opening = match root.attribute("role") {
        Some(_) => opening.to_owned(),
        None => opening.replacen("<svg", "<svg role=\"img\"", 1),
    };
    let words = name.map(words).unwrap_or_default();
    Ok(format!("{before}{opening}{words}{after}"))
}

/// Returns the title and description of a drawing for readers who cannot see it.
fn words(name: &FigureName) -> String {
    let title = format!("<title>{}</title>", escaped(&name.title));
    if name.description.is_empty() {
        return title;
    }
    format!("{title}<desc>{}</desc>", escaped(&name.description))
}

fn check(node: Node<'_, '_>) -> Result<(), String> {
    if node.is_pi() {
        return Err("it holds a processing instruction".to_owned());
    }
    if !node.is_element() {
        return Ok(());
    }
    let element = node.tag_name().name();
    if !ELEMENTS.contains(&element) {
        return Err(format!("it holds an element `{element}`"));
    }
    for attribute in node.attributes() {
        let (key, value) = (attribute.name(), attribute.value());
        let is_handler = key
            .get(..2)
            .is_some_and(|start| start.eq_ignore_ascii_case("on"));
        let is_elsewhere = key == "href" && !value.starts_with('#');
        let is_loading = !key.starts_with("aria-") && loads(value);
        if is_handler || is_elsewhere || is_loading {
            return Err(format!(
                "`{element}` has an attribute `{key}` that runs or loads something"
            ));
        }
    }
    let mut styles = node.children().filter_map(|child| child.text());
    if element == "style" && styles.any(loads) {
        return Err("its style loads something".to_owned());
    }
    Ok(())
}

/// Returns whether a value of CSS refers to anything outside the picture.
fn loads(value: &str) -> bool {
    let value = value.to_ascii_lowercase();
    let mut references = value.split("url(").skip(1);
    value.contains("@import")
        || value.contains("script:")
        || references.any(|reference| {
            !reference
                .trim_start_matches(['"', '\'', ' '])
                .starts_with('#')
        })
}

/// Returns whether XML 1.0 can hold the character (section 2.2, "Char") and it is no embedding or
/// override of the bidirectional algorithm (UAX #9, section 2). Isolates stay: the front end puts
/// them around names in sentences.
fn is_shown(character: char) -> bool {
    let is_turning = matches!(character, '\u{202A}'..='\u{202E}');
    let is_xml = matches!(character, '\t' | '\n' | '\r' | ' '..='\u{D7FF}' | '\u{E000}'..='\u{FFFD}' | '\u{10000}'..);
    is_xml && !is_turning
}

/// Returns the text as it is written between two tags.
fn escaped(text: &str) -> String {
    let text: String = text
        .chars()
        .filter(|character| is_shown(*character))
        .collect();
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn name(title: &str) -> FigureName {
        FigureName {
            id: "it".to_owned(),
            title: title.to_owned(),
            description: String::new(),
        }
    }

    fn around(inside: &str) -> String {
        format!(
            r#"<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink">{inside}</svg>"#
        )
    }

    #[test]
    fn a_plain_drawing_gets_a_title() {
        let drawn = around("<g/>");
        let finished = finished(&drawn, Some(&name("a < b & c"))).unwrap();
        let expected = around("<title>a &lt; b &amp; c</title><g/>");
        assert_eq!(finished, expected.replace("<svg", "<svg role=\"img\""));
    }

    #[test]
    fn a_drawing_that_runs_or_loads_something_is_refused() {
        let cases = [
            ("<script>1</script>", "element `script`"),
            ("<foreignObject/>", "element `foreignObject`"),
            ("<image href='file:///etc/passwd'/>", "element `image`"),
            ("<rect onclick='1'/>", "attribute `onclick`"),
            ("<rect ONload='1'/>", "attribute `ONload`"),
            (
                "<use xlink:href='https://example.org/a#b'/>",
                "attribute `href`",
            ),
            ("<use href='javascript:1'/>", "attribute `href`"),
            (
                "<rect fill='url( \"https://example.org\")'/>",
                "attribute `fill`",
            ),
            (
                "<rect style='fill:URL(//example.org)'/>",
                "attribute `style`",
            ),
            ("<style><![CDATA[@import 'a.css']]></style>", "style loads"),
            ("<?xml-stylesheet href='a.css'?>", "processing instruction"),
            ("<g>", "expected 'g' tag"),
            ("", "it is empty"),
        ];
        for (inside, expected) in cases {
            let error = finished(&around(inside), Some(&name("x"))).unwrap_err();
            assert!(error.contains(expected), "{inside}: {error}");
        }
        let document = format!("<!DOCTYPE svg [<!ENTITY a 'b'>]>{}", around("<g/>"));
        assert!(
            finished(&document, Some(&name("x")))
                .unwrap_err()
                .contains("DTD")
        );
        assert!(
            finished("<html/>", Some(&name("x")))
                .unwrap_err()
                .contains("root is `html`")
        );
    }

    #[test]
    fn references_inside_the_picture_and_texts_about_references_pass() {
        let drawn = around(
            "<rect fill='url(#a)' aria-label='url(https://example.org)'/><use xlink:href='#a'/>\
             <text>url(https://example.org) onload=1 &lt;script&gt;</text><style>.a:hover{fill:url(\"#a\")}</style>",
        );
        assert!(finished(&drawn, Some(&name("x"))).is_ok());
    }

    proptest! {
        #[test]
        fn any_title_and_any_text_stay_text(title in any::<String>(), text in any::<String>()) {
            let drawn = around(&format!("<text>{}</text>", escaped(&text)));
            let finished = finished(&drawn, Some(&name(&title))).unwrap();
            let document = Document::parse(&finished).unwrap();
            let elements = document.descendants().filter(Node::is_element).count();
            prop_assert_eq!(elements, 3);
            let read = document.root_element().first_element_child().and_then(|node| node.text()).unwrap_or_default();
            let held: String = title.chars().filter(|c| is_shown(*c)).collect();
            prop_assert_eq!(read, held.replace("\r\n", "\n").replace('\r', "\n"));
        }
    }
}
