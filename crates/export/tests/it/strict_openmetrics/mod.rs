//! A slow, obvious reader of OpenMetrics 1.0 that accepts only the standard's syntax for gauges:
//! `HELP`, `TYPE`, `UNIT` once each before the samples of a family, families in one piece, names
//! that end in their unit, no sample twice, `# EOF` at the very end.

use std::collections::{BTreeMap, BTreeSet};

/// A line of a family.
#[derive(Debug)]
pub struct Sample {
    pub labels: BTreeMap<String, String>,
}

pub type Families = BTreeMap<String, Vec<Sample>>;

pub fn parse(text: &str) -> Result<Families, String> {
    let body = text.strip_suffix("# EOF\n").ok_or("no EOF at the end")?;
    let mut families = Families::new();
    let mut seen = BTreeSet::new();
    let mut current: Option<String> = None;
    let mut heads = Vec::new();
    for line in body.lines() {
        if let Some(rest) = line.strip_prefix("# ") {
            let mut words = rest.splitn(3, ' ');
            let (kind, name, value) = (words.next(), words.next(), words.next());
            let (Some(kind), Some(name), Some(value)) = (kind, name, value) else {
                return Err(format!("not a head: {line}"));
            };
            check_name(name)?;
            if kind == "HELP" {
                if families.insert(name.to_owned(), Vec::new()).is_some() {
                    return Err(format!("family {name} is in two pieces"));
                }
                current = Some(name.to_owned());
                heads.clear();
            }
            if current.as_deref() != Some(name) || heads.contains(&kind) {
                return Err(format!("head out of place: {line}"));
            }
            match kind {
                "HELP" if !value.contains(['\\', '"']) => {}
                "TYPE" if value == "gauge" => {}
                "UNIT" if name.ends_with(&format!("_{value}")) => {}
                _ => return Err(format!("bad head: {line}")),
            }
            heads.push(kind);
        } else {
            let name = current.as_ref().ok_or("a sample before any head")?;
            if heads != ["HELP", "TYPE", "UNIT"] {
                return Err(format!("heads of {name}: {heads:?}"));
            }
            let sample = sample(name, line)?;
            if !seen.insert((name.clone(), format!("{:?}", sample.labels))) {
                return Err(format!("twice: {line}"));
            }
            families.entry(name.clone()).or_default().push(sample);
        }
    }
    match families.iter().find(|family| family.1.is_empty()) {
        Some((name, _)) => Err(format!("{name} has no samples")),
        None => Ok(families),
    }
}

fn check_name(name: &str) -> Result<(), String> {
    let mut characters = name.chars();
    let good = characters
        .next()
        .is_some_and(|c| c.is_ascii_alphabetic() || c == '_')
        && characters.all(|c| c.is_ascii_alphanumeric() || c == '_');
    match good {
        true => Ok(()),
        false => Err(format!("bad name `{name}`")),
    }
}

fn sample(name: &str, line: &str) -> Result<Sample, String> {
    let bad = |what: &str| format!("{what}: {line}");
    let rest = line.strip_prefix(name).ok_or_else(|| bad("another name"))?;
    let mut rest = rest.strip_prefix('{').ok_or_else(|| bad("no labels"))?;
    let mut labels = BTreeMap::new();
    loop {
        let (label, after) = rest.split_once("=\"").ok_or_else(|| bad("no value"))?;
        check_name(label)?;
        let (value, after) = quoted(after).ok_or_else(|| bad("bad value"))?;
        if labels.insert(label.to_owned(), value).is_some() {
            return Err(bad("a label twice"));
        }
        match after.strip_prefix(',') {
            Some(after) => rest = after,
            None => {
                rest = after
                    .strip_prefix("} ")
                    .ok_or_else(|| bad("no end of labels"))?;
                break;
            }
        }
    }
    // Only a number is allowed: no timestamp, no exemplar.
    match rest.parse::<f64>() {
        Ok(value) if value.is_finite() && !rest.contains(' ') => Ok(Sample { labels }),
        _ => Err(bad("no number")),
    }
}

/// Reads a value up to its quote; only `\\`, `\"` and `\n` are escapes.
fn quoted(text: &str) -> Option<(String, &str)> {
    let mut value = String::new();
    let mut characters = text.char_indices();
    while let Some((place, c)) = characters.next() {
        match c {
            '"' => return Some((value, &text[place + 1..])),
            '\\' => match characters.next()?.1 {
                'n' => value.push('\n'),
                c @ ('\\' | '"') => value.push(c),
                _ => return None,
            },
            c if c.is_control() => return None,
            c => value.push(c),
        }
    }
    None
}
