//! Where the keys of a workload come from: its own table, the keys shared under `[workload]`, or a
//! shipped workload.

use toml_edit::Item;

use crate::locate::{Path, exists};
use crate::preset::Preset;
use crate::raw::WorkloadTable;
use crate::source::{ProblemText, Source};
use stripewise_units::suggest::nearest;

/// The places where the keys of a workload may be written.
pub(crate) struct KeyPaths {
    pub(crate) own: Path,
    pub(crate) shared: Option<Path>,
    pub(crate) preset: Option<Named>,
}

/// A shipped workload, and the place in the study that names it.
#[derive(Clone)]
pub(crate) struct Named {
    pub(crate) preset: &'static Preset,
    pub(crate) at: Path,
}

impl KeyPaths {
    /// Returns the places of a table that stands alone.
    pub(crate) fn of(own: Path) -> Self {
        Self {
            own,
            shared: None,
            preset: None,
        }
    }

    /// Returns where `key` is written: in the table itself, or among the shared keys.
    fn key(&self, source: &Source, key: &str) -> Path {
        let own = self.own.key(key);
        match &self.shared {
            Some(shared) if !exists(source.root(), &own) => shared.key(key),
            _ => own,
        }
    }

    /// Returns where the value of `key`, or one element of its list, is written; for a key of a
    /// shipped workload, where that is named.
    pub(crate) fn value(&self, source: &Source, key: &str, index: Option<usize>) -> Path {
        match self.shipped(source, key) {
            Some((named, _)) => named.at.clone(),
            None => self.key(source, key).element(index),
        }
    }

    /// Records a problem with the value of `key`, or with one element of its list.
    pub(crate) fn problem(
        &self,
        source: &mut Source,
        key: &str,
        index: Option<usize>,
        report: ProblemText,
    ) {
        let path = self.value(source, key, index);
        let report = match self.shipped(source, key) {
            None => report,
            Some((named, value)) => report.comes_from(named.preset.name, key, &value),
        };
        source.problem(&path, report);
    }

    /// Returns the shipped workload that `key` comes from, and its value there.
    fn shipped(&self, source: &Source, key: &str) -> Option<(&Named, String)> {
        let named = self.preset.as_ref()?;
        if exists(source.root(), &self.key(source, key)) {
            return None;
        }
        let mut keys = named.preset.keys().into_iter();
        let (_, value) = keys.find(|(name, _)| name == key)?;
        let value = value.as_value()?.to_string();
        Some((named, value.trim().to_owned()))
    }

    /// Reads a workload table with the keys of the shipped workload that it names; keys of the
    /// study override those.
    pub(crate) fn read(&mut self, source: &mut Source, item: Item) -> Option<WorkloadTable> {
        let table = source.read::<WorkloadTable>(&self.own, &item)?;
        let Some(name) = &table.from else {
            return Some(table);
        };
        let at = self.key(source, "from");
        let Some(preset) = Preset::named(name) else {
            let report = ProblemText::new(format!("no shipped workload `{name}`"), "not known");
            let hint = match nearest(name, Preset::names()) {
                Some(near) => format!("did you mean `{near}`?"),
                None => "`stripewise workloads` lists them".to_owned(),
            };
            source.problem(&at, report.hint(hint));
            return None;
        };
        self.preset = Some(Named { preset, at });
        source.read(&self.own, &with_defaults(item, &preset.keys()))
    }
}

/// Returns `item` with the keys that it lacks.
pub(crate) fn with_defaults(mut item: Item, defaults: &[(String, Item)]) -> Item {
    if let Some(table) = item.as_table_like_mut() {
        for (key, value) in defaults {
            if !table.contains_key(key) {
                table.insert(key, value.clone());
            }
        }
    }
    item
}
