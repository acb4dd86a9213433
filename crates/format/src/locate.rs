//! Maps a path such as `workload.depth[1]` to the bytes of the file where it is written.

use std::ops::Range;

use toml_edit::{Array, Item, TableLike, Value};

/// One step down a TOML document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum PathStep {
    Key(String),
    Index(usize),
}

/// A place in a TOML document.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Path(Vec<PathStep>);

impl Path {
    /// Returns the path one key further down.
    pub(crate) fn key(&self, key: &str) -> Path {
        let mut steps = self.0.clone();
        steps.push(PathStep::Key(key.to_owned()));
        Path(steps)
    }

    /// Returns the path to an element of a list, or the path itself where no list was written.
    pub(crate) fn element(&self, index: Option<usize>) -> Path {
        let mut steps = self.0.clone();
        steps.extend(index.map(PathStep::Index));
        Path(steps)
    }

    /// Returns the keys on the way, without the places in lists.
    pub(crate) fn keys(&self) -> Vec<&str> {
        let steps = self.0.iter();
        let keys = steps.filter_map(|step| match step {
            PathStep::Key(key) => Some(key.as_str()),
            PathStep::Index(_) => None,
        });
        keys.collect()
    }

    /// Returns the last key on the way.
    pub(crate) fn last_key(&self) -> Option<&str> {
        self.keys().last().copied()
    }
}

/// Returns the path to the innermost value that contains `span`.
pub(crate) fn path_at(root: &Item, span: &Range<usize>) -> Path {
    Node::Item(root)
        .holding(span, &Path::default())
        .unwrap_or_default()
}

/// Returns the span of the value at `path`, or of the nearest ancestor in the file.
pub(crate) fn span(root: &Item, path: &Path) -> Range<usize> {
    let mut node = Node::Item(root);
    let mut nearest = 0..0;
    for step in &path.0 {
        let Some((next, span)) = node.step(step) else {
            break;
        };
        nearest = span.unwrap_or(nearest);
        node = next;
    }
    nearest
}

/// Returns the span of the key at the end of `path`, or of the nearest ancestor in the file.
pub(crate) fn key_span(root: &Item, path: &Path) -> Range<usize> {
    let mut node = Node::Item(root);
    let (Some(PathStep::Key(last)), steps) =
        (path.0.last(), &path.0[..path.0.len().saturating_sub(1)])
    else {
        return span(root, path);
    };
    for step in steps {
        match node.step(step) {
            Some((next, _)) => node = next,
            None => return span(root, path),
        }
    }
    node.table()
        .and_then(|table| table.get_key_value(last))
        .and_then(|(key, _)| key.span())
        .unwrap_or_else(|| span(root, path))
}

enum Node<'a> {
    Item(&'a Item),
    Value(&'a Value),
}

impl<'a> Node<'a> {
    fn table(&self) -> Option<&'a dyn TableLike> {
        match self {
            Node::Item(item) => item.as_table_like(),
            Node::Value(value) => value.as_inline_table().map(|table| table as &dyn TableLike),
        }
    }

    /// Returns the path to the innermost value that contains `span`; `path` leads to this node.
    fn holding(&self, span: &Range<usize>, path: &Path) -> Option<Path> {
        // The span of a section is its header alone, so children come first.
        let below = self.children().into_iter();
        let mut below = below.filter_map(|(step, node)| {
            let mut path = path.clone();
            path.0.push(step);
            node.holding(span, &path)
        });
        let own = || {
            let own = self.span()?;
            (own.start <= span.start && span.end <= own.end).then(|| path.clone())
        };
        below.next().or_else(own)
    }

    fn children(&self) -> Vec<(PathStep, Node<'a>)> {
        if let Some(table) = self.table() {
            let child =
                |(key, item): (&str, &'a Item)| (PathStep::Key(key.to_owned()), Node::Item(item));
            return table.iter().map(child).collect();
        }
        let values = self.array().into_iter().flatten().enumerate();
        values
            .map(|(index, value)| (PathStep::Index(index), Node::Value(value)))
            .collect()
    }

    fn span(&self) -> Option<Range<usize>> {
        match self {
            Node::Item(item) => item.span(),
            Node::Value(value) => value.span(),
        }
    }

    fn array(&self) -> Option<&'a Array> {
        match self {
            Node::Item(item) => item.as_array(),
            Node::Value(value) => value.as_array(),
        }
    }

    fn step(&self, step: &PathStep) -> Option<(Node<'a>, Option<Range<usize>>)> {
        match step {
            PathStep::Key(key) => {
                let (key, item) = self.table()?.get_key_value(key)?;
                // A table's own span is its header; a table that is only implied has none.
                Some((Node::Item(item), item.span().or_else(|| key.span())))
            }
            PathStep::Index(index) => {
                let value = self.array()?.get(*index)?;
                Some((Node::Value(value), value.span()))
            }
        }
    }
}

/// Returns whether the file has a value at `path`.
pub(crate) fn exists(root: &Item, path: &Path) -> bool {
    let mut node = Node::Item(root);
    for step in &path.0 {
        match node.step(step) {
            Some((next, _)) => node = next,
            None => return false,
        }
    }
    true
}
