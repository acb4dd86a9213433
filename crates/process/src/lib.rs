//! External programs: found, run within limits, and ended with all their processes.
//!
//! ```text
//! Program --call--> Call --run---> Printed               a tool: its output, or an error
//!                    |
//!                    +----start--> Child --wait--> Ended   fio, QEMU: killed when dropped
//! ```
//!
//! A tool and a long load differ only in their limits. Every child:
//!
//! - gets its arguments as a vector, never as a shell command line;
//! - has no input unless the call sets one, and runs in the C locale;
//! - leads its own process group, and the kernel kills it when we die;
//! - ends at its time limit or when its [`Watch`](stripewise_study::world::Watch) stops it;
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
mod inherit;
mod memory;
mod program;
mod stop;

pub use call::{Call, CallError, Printed};
pub use child::{Child, Ended};
pub use memory::MemoryFile;
pub use program::{Program, find, find_in, install_hint};
pub use stop::{UntilStopped, is_stop_asked, stop_flag};
