//! The metal world: fio on this machine's own files.
