//! Why one result differs from another: which recorded facts changed, what each does in the model, what
//! the samples say of it, and what is left.
//!
//! ```text
//! samples of both --> difference (is there one, how sure)
//! facts of both ----> changes --> ablation: all subsets in the model --> shares
//!                         \-----> kinds: what acts in which direction, without a number
//!                                                   all of it --> conclusion
//! ```

pub mod ablation;
pub mod actions;
pub mod alone;
pub mod caps;
pub mod conclusion;
pub mod difference;
pub mod evidence;
pub mod kinds;
pub mod setup;
pub mod shape;
pub mod shares;
