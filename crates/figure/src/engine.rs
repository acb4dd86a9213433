//! Runs the front end in QuickJS, with limits.
//!
//! Each engine lives for one call. The front end counts its clip paths and classes up from one, so
//! only a fresh engine draws the same figure with the same bytes every time; loading costs about a
//! tenth of a second.
//!
//! QuickJS is built without its library of operating system functions: no files, no network, no
//! processes.

use std::cell::Cell;
use std::rc::Rc;
use std::time::{Duration, Instant};

use rquickjs::context::EvalOptions;
use rquickjs::function::Args;
use rquickjs::{CatchResultExt as _, CaughtError, Context, Ctx, Function, Object, Runtime};

use crate::error::FigureError;
use crate::figures::FrontEnd;
use crate::font::{is_invisible, text_width_px};

/// The functions of a browser that QuickJS lacks.
const PRELUDE: &str = include_str!("prelude.js");

/// The limits of one call.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits {
    /// Memory of the engine, in bytes.
    pub(crate) memory_bytes: usize,
    /// Stack of the engine, in bytes.
    pub(crate) stack_bytes: usize,
    /// From loading the front end to its answer.
    pub(crate) time: Duration,
}

/// The limits of every call outside tests.
///
/// A page of 5,000 cells takes a small part of each. Threads of Rust have 2 MiB of stack, so half
/// of that is safe.
pub(crate) const LIMITS: Limits = Limits {
    memory_bytes: 512 << 20,
    stack_bytes: 1 << 20,
    time: Duration::from_secs(60),
};

/// The longest reason in an error, in characters.
const REASON_CHARACTERS_MAX: usize = 500;

/// A front end that has been loaded.
pub(crate) struct Engine {
    context: Context,
    limits: Limits,
    is_late: Rc<Cell<bool>>,
}

impl Engine {
    /// Starts an engine and loads the front end into it.
    ///
    /// # Errors
    /// [`FigureError::Start`], [`FigureError::Bundle`] if the front end throws or lacks one of its
    /// two functions, and [`FigureError::Time`] or [`FigureError::Memory`] if it exceeds a limit.
    pub(crate) fn load(front_end: FrontEnd<'_>, limits: Limits) -> Result<Self, FigureError> {
        let start = |error: rquickjs::Error| FigureError::Start {
            reason: error.to_string(),
        };
        let runtime = Runtime::new().map_err(start)?;
        runtime.set_memory_limit(limits.memory_bytes);
        runtime.set_max_stack_size(limits.stack_bytes);
        let is_late = Rc::new(Cell::new(false));
        let (late, started) = (Rc::clone(&is_late), Instant::now());
        runtime.set_interrupt_handler(Some(Box::new(move || {
            late.set(late.get() || started.elapsed() > limits.time);
            late.get()
        })));
        let engine = Self {
            context: Context::full(&runtime).map_err(start)?,
            limits,
            is_late,
        };
        let loaded = engine.run("its front end", |ctx| run_front_end(ctx, front_end));
        loaded.map_err(|error| match error {
            FigureError::Script { reason, .. } => FigureError::Bundle { reason },
            other => other,
        })?;
        Ok(engine)
    }

    /// Calls a function of `host` in the prelude and returns its text; `what` names the result in
    /// errors.
    ///
    /// # Errors
    /// [`FigureError::Script`] if the front end throws or returns no text, [`FigureError::Time`] and
    /// [`FigureError::Memory`] if it was stopped.
    pub(crate) fn call(
        &self,
        what: &str,
        function: &str,
        arguments: &[&str],
    ) -> Result<String, FigureError> {
        self.run(what, |ctx| call_host(ctx, function, arguments))
    }

    fn run<T>(
        &self,
        what: &str,
        action: impl FnOnce(&Ctx<'_>) -> rquickjs::Result<T>,
    ) -> Result<T, FigureError> {
        self.context.with(|ctx| {
            let result = action(&ctx).catch(&ctx);
            result.map_err(|caught| self.explain(what, &caught))
        })
    }

    fn explain(&self, what: &str, caught: &CaughtError<'_>) -> FigureError {
        let what = what.to_owned();
        let reason = reason(caught);
        if self.is_late.get() {
            let limit = self.limits.time;
            FigureError::Time { what, limit }
        } else if reason.contains("out of memory") {
            let limit_bytes = self.limits.memory_bytes;
            FigureError::Memory { what, limit_bytes }
        } else {
            FigureError::Script { what, reason }
        }
    }
}

/// Runs the prelude and then the front end as a browser would: scripts, in sloppy mode.
fn run_front_end(ctx: &Ctx<'_>, front_end: FrontEnd<'_>) -> rquickjs::Result<()> {
    let width = |text: String, font: String| text_width_px(&text, &font);
    ctx.globals()
        .set("textWidthPx", Function::new(ctx.clone(), width)?)?;
    ctx.globals().set("messagesJson", front_end.messages_json)?;
    ctx.eval::<(), _>(PRELUDE)?;
    for script in front_end.scripts {
        let mut options = EvalOptions::default();
        options.strict = false;
        ctx.eval_with_options::<(), _>(*script, options)?;
    }
    call_host(ctx, "check", &[])?;
    Ok(())
}

fn call_host(ctx: &Ctx<'_>, function: &str, arguments: &[&str]) -> rquickjs::Result<String> {
    let host: Object<'_> = ctx.globals().get("host")?;
    let function: Function<'_> = host.get(function)?;
    let mut passed = Args::new(ctx.clone(), arguments.len());
    passed.push_args(arguments.iter().copied())?;
    function.call_arg(passed)
}

/// Describes a thrown value: printable, on one line, with a bounded length.
fn reason(caught: &CaughtError<'_>) -> String {
    let text = match caught {
        CaughtError::Error(error) => error.to_string(),
        CaughtError::Exception(exception) => exception.message().unwrap_or_default(),
        CaughtError::Value(value) => format!("a thrown {}", value.type_name()),
    };
    printable(&text, REASON_CHARACTERS_MAX)
}

/// Returns `text` without control characters and bidirectional marks, and no longer than
/// `characters_max`.
pub(crate) fn printable(text: &str, characters_max: usize) -> String {
    let visible = text.chars().map(|character| match character {
        '\n' | '\t' => ' ',
        other => other,
    });
    visible
        .filter(|character| !is_invisible(*character))
        .take(characters_max)
        .collect()
}

#[cfg(test)]
#[path = "engine_tests.rs"]
mod tests;
