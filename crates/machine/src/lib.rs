//! Facts of a Linux machine, read under a root directory. Reads only.
