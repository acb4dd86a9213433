//! Beginnings and ends of I/Os, matched, in order of time, in bounded memory.
