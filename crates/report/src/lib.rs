//! What people and programs see: terminal tables, charts, JSON and CSV.
