//! Connections: how long each may wait for its client, and which one ends when there are too many.
//!
//! A connection waits either for its client, which sends a request or reads an answer, or for the
//! server. Waiting for the client has a time limit. If connections run out, the one that has waited
//! longest for its client is closed, so that silent clients cannot keep others out.

use std::collections::BTreeMap;
use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::task::AbortHandle;
use tokio::time::{Instant, Sleep, sleep_until};

/// The most connections at once; a browser opens six.
pub(crate) const CONNECTIONS_MAX: usize = 64;
/// The lowest rate at which a client may read an answer, after the first [`Deadlines::write`]: a
/// tunnel to another machine may be slow.
const WRITE_BYTES_PER_S_MIN: u64 = 16 << 10;

/// How long a client may take, and how much its question.
#[derive(Debug, Clone, Copy)]
pub struct Deadlines {
    /// From the start of a connection, or the last answer on it, to the complete head of a request.
    pub head: Duration,
    /// From the head to the complete body.
    pub body: Duration,
    /// For reading an answer, in addition to the time for its size.
    pub write: Duration,
    /// How many steps the simulations of one question may take: whether there is an answer depends on the
    /// question, and not on how busy the machine is.
    pub simulation_steps: u64,
}

impl Default for Deadlines {
    fn default() -> Self {
        Self {
            head: Duration::from_secs(15),
            body: Duration::from_secs(10),
            write: Duration::from_secs(20),
            // Half a minute of a core that does nothing else.
            simulation_steps: 250_000_000,
        }
    }
}

/// What a connection waits for; the first variants are closed first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Awaited {
    /// Its client, to send a request or read an answer.
    Client,
    /// The server's answer.
    Answer,
    /// News of a watched run; few connections may.
    News,
}

/// What a connection waits for, and since when; its handlers set it.
#[derive(Debug, Clone)]
pub(crate) struct Turn(Arc<Mutex<(Awaited, Instant)>>);

impl Turn {
    fn new() -> Self {
        Self(Arc::new(Mutex::new((Awaited::Client, Instant::now()))))
    }

    /// Sets what the connection waits for from now on.
    pub(crate) fn set(&self, awaited: Awaited) {
        *unpoisoned(&self.0) = (awaited, Instant::now());
    }

    /// Records that the answer is ready; a connection that waits for news continues to wait.
    pub(crate) fn answered(&self) {
        if self.get().0 == Awaited::Answer {
            self.set(Awaited::Client);
        }
    }

    fn get(&self) -> (Awaited, Instant) {
        *unpoisoned(&self.0)
    }
}

/// The connections that are open.
#[derive(Debug, Clone, Default)]
pub(crate) struct Connections(Arc<Mutex<Open>>);

#[derive(Debug, Default)]
struct Open {
    next: u64,
    by_number: BTreeMap<u64, (Turn, AbortHandle)>,
}

impl Connections {
    /// Serves a connection with the future that `serve` makes; if there are too many, the one that
    /// has waited longest for its client is closed.
    pub(crate) fn add<Serving>(&self, serve: impl FnOnce(Turn) -> Serving)
    where
        Serving: Future<Output = ()> + Send + 'static,
    {
        let turn = Turn::new();
        let serving = serve(turn.clone());
        let mut open = unpoisoned(&self.0);
        if open.by_number.len() >= CONNECTIONS_MAX {
            open.close_one();
        }
        let number = open.next;
        open.next += 1;
        let connection = OpenConnection {
            connections: self.clone(),
            number,
        };
        let task = tokio::spawn(async move {
            let _connection = connection;
            serving.await;
        });
        open.by_number.insert(number, (turn, task.abort_handle()));
    }
}

impl Open {
    fn close_one(&mut self) {
        let longest = self
            .by_number
            .iter()
            .min_by_key(|(_, (turn, _))| turn.get());
        let longest = longest.map(|(number, _)| *number);
        if let Some((_, task)) = longest.and_then(|number| self.by_number.remove(&number)) {
            task.abort();
        }
    }
}

/// An open connection among the others, until it is dropped.
struct OpenConnection {
    connections: Connections,
    number: u64,
}

impl Drop for OpenConnection {
    fn drop(&mut self) {
        unpoisoned(&self.connections.0)
            .by_number
            .remove(&self.number);
    }
}

fn unpoisoned<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // The guarded data is consistent after each statement.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A stream that fails if its client does not read in time.
#[derive(Debug)]
pub(crate) struct Timely {
    stream: TcpStream,
    allowed: Duration,
    /// The deadline of a blocked write; `None` while the system accepts writes at once.
    due: Option<Pin<Box<Sleep>>>,
}

impl Timely {
    pub(crate) fn new(stream: TcpStream, allowed: Duration) -> Self {
        Self {
            stream,
            allowed,
            due: None,
        }
    }

    /// Returns the result of a write, or an error if it takes too long.
    fn written(
        &mut self,
        context: &mut Context<'_>,
        result: Poll<io::Result<usize>>,
    ) -> Poll<io::Result<usize>> {
        match result {
            Poll::Ready(Ok(bytes)) => {
                if let Some(due) = &mut self.due {
                    // Each byte extends the deadline only a little: a trickle does not keep a
                    // connection open.
                    let bytes = u64::try_from(bytes).unwrap_or(u64::MAX);
                    let more = bytes.saturating_mul(1_000_000_000) / WRITE_BYTES_PER_S_MIN;
                    let later = due.deadline() + Duration::from_nanos(more);
                    due.as_mut().reset(later);
                }
                Poll::Ready(Ok(bytes))
            }
            Poll::Ready(Err(error)) => Poll::Ready(Err(error)),
            Poll::Pending => {
                let allowed = self.allowed;
                let due = self
                    .due
                    .get_or_insert_with(|| Box::pin(sleep_until(Instant::now() + allowed)));
                ready!(due.as_mut().poll(context));
                Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
            }
        }
    }
}

impl AsyncRead for Timely {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl AsyncWrite for Timely {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let result = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.written(context, result)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let result = Pin::new(&mut self.stream).poll_write_vectored(context, parts);
        self.written(context, result)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    /// hyper flushes once the system has accepted all its data.
    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.due = None;
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
