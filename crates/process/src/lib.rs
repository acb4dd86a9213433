//! External programs: found, run within limits, and ended with everything they started.
//!
//! ```text
//! Program --call--> Call --run---> Printed               a tool: its output, or an error
//!                    |
//!                    +----start--> Child --wait--> Ended   fio, QEMU: killed when dropped
//! ```
//!
//! A tool and a long load differ in their limits and in nothing else. Every child:
//!
//! - gets its arguments as a vector, never as a line for a shell;
//! - reads nothing unless the call gives it something, and prints in the C locale;
//! - leads a process group of its own, and the kernel kills it when we die;
//! - ends when its time is over or its [`Watch`](stripewise_study::world::Watch) says so;
//! - prints into memory, up to a limit that the kernel enforces.
//!
//! A call that is [`contained`](Call::contained) leaves no descendant either.
//!
//! # Example
//!
//! ```
//! use stripewise_process::Program;
//! use stripewise_study::world::NeverCancel;
//!
//! const ECHO: Program = Program::new("echo", "coreutils");
//! let printed = ECHO.call(["a", "word"]).run(&mut NeverCancel)?;
//! assert_eq!(printed.stdout, b"a word\n");
//! # Ok::<(), stripewise_process::CallError>(())
//! ```

mod call;
mod child;
mod death;
mod descendants;
mod memory;
mod program;

pub use call::{Call, CallError, Printed};
pub use child::{Child, Ended};
pub use memory::MemoryFile;
pub use program::{Program, find, find_in, install_hint};
