//! Facts of a Linux machine, read under a root directory. Reads only: starts no process and writes
//! nothing.
//!
//! All files are read through a [`Root`]: `/` for the machine itself, or a directory with a copy of
//! its `/proc`, `/sys` and `/etc` (a fixture, a support archive). The content may be hostile: file
//! sizes and walks are bounded, and control characters are removed. The facts of a run that cannot
//! be read are unknown (`None`, or left out), never an error.
//!
//! - of one thing: [`Md`], [`Layers`], [`os_release`], [`memory_bytes`], from any [`Source`]: a root,
//!   or facts that were collected before. Each is there, absent, or [`Missing`] with its file and the
//!   reason;
//! - before a run: [`facts`], [`target`], [`target_problem`], [`target_warnings`];
//! - around each sample: [`DeviceCounters`], [`HostState`], [`ProcessIo`];
//! - during a sample: [`CpuTimes`].
//!
//! ```
//! use stripewise_machine::{Root, facts, target_problem, target_warnings};
//!
//! let root = Root::live();
//! let directory = std::env::temp_dir();
//! if let Some(problem) = target_problem(&root, &directory.join("no-such-directory")) {
//!     assert!(problem.to_string().ends_with("does not exist"));
//!     assert!(problem.hint().starts_with("create the directory"));
//! }
//! let facts = facts(&root, Some(&directory));
//! assert!(facts.kernel.is_some());
//! for warning in target_warnings(&facts) {
//!     assert!(warning.id().starts_with("array"));
//! }
//! ```

mod root;
mod source;

mod arrays;
mod cpu;
mod devices;
mod node;
mod order;
mod system;

mod disks;
mod filesystem;
mod layers;
mod mounts;
mod problem;
mod target;
mod trust;
mod warnings;

mod cores;
mod counters;
mod cpu_times;
mod host_state;
mod processes;

pub use arrays::{Md, array_names, has_parity, is_container_version, is_redundant};
pub use cores::{CoreCounters, CoreReadings};
pub use counters::DeviceCounters;
pub use cpu::{CPUFREQ, cpu_policies};
pub use cpu_times::CpuTimes;
pub use devices::chosen;
pub use disks::leaf_disks;
pub use filesystem::{is_in_memory, mounted_filesystem, places_of};
pub use host_state::HostState;
pub use layers::{Layers, block_names, is_disk_name};
pub use mounts::{Mount, MountLine, Swap, mount_of, mounts, parse_mountinfo, swaps, unescape};
pub use node::Node;
pub use order::{OrderKey, order_key};
pub use problem::{TargetProblem, target_problem};
pub use processes::{BusyProcess, ProcessIo, busiest_other_process};
pub use root::{Entries, Root, clean_word};
pub use source::{ABSENT, Fact, Missing, Source, Text, is_absent, reason};
pub use system::{facts, kernel_version, memory_bytes, os_release};
pub use target::{is_network_filesystem, target};
pub use trust::{OpenDirectoryError, Untrusted, open_directory};
pub use warnings::{arrays_on_target_disks, devices_below_target, target_warnings};
