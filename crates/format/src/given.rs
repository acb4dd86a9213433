//! What a table of a study gives for each of its scalar keys.

use stripewise_study::keys::Key;
use stripewise_study::notation::OneOrMany;

/// Gives a key the value at an index.
type Put<'a, T> = Box<dyn Fn(&mut T, usize) + 'a>;

/// A scalar key, and the values that a table gives for it.
pub(crate) struct Given<'a, T: 'static> {
    /// The key.
    pub(crate) key: &'static Key<T>,
    /// How many values there are; 0 if the table does not have the key.
    pub(crate) count: usize,
    /// Whether they are written as a list.
    pub(crate) is_list: bool,
    /// The places of values that stand in the list before.
    pub(crate) again: Vec<usize>,
    set: Put<'a, T>,
}

impl<'a, T> Given<'a, T> {
    pub(crate) fn of<W: PartialEq>(
        key: &'static Key<T>,
        list: &'a Option<OneOrMany<W>>,
        set: fn(&mut T, &W),
    ) -> Self {
        let is_list = list.as_ref().is_some_and(|list| list.is_list);
        let values = list.as_ref().map_or(&[][..], |list| &list.values);
        let is_again = |index: &usize| values[..*index].contains(&values[*index]);
        Self {
            key,
            count: values.len(),
            is_list,
            again: (1..values.len()).filter(is_again).collect(),
            set: Box::new(move |of, index| set(of, &values[index])),
        }
    }

    /// Returns whether the table has the key.
    pub(crate) fn is_there(&self) -> bool {
        self.count > 0
    }

    /// Takes one of the values.
    pub(crate) fn put(&self, of: &mut T, index: usize) {
        (self.set)(of, index);
    }

    /// Returns the place of a value, as errors name it: `None` unless it stands in a list.
    pub(crate) fn place(&self, index: usize) -> Option<usize> {
        self.is_list.then_some(index)
    }
}

/// Returns how many combinations the values have.
pub(crate) fn combinations<T>(given: &[Given<'_, T>]) -> usize {
    let counts = given.iter().map(|given| given.count.max(1));
    counts.fold(1, usize::saturating_mul)
}
