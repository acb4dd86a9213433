//! md: which member gets what, and when.
