//! Job files out, fio's JSON in, and fio run as a child.
