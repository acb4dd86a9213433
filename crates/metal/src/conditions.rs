//! Conditions of the host: set before a sample where they differ, and put back at the end.

mod setting;

pub(crate) use setting::undo_setting;
