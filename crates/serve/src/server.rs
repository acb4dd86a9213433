//! The server: a socket on loopback, and one thread that waits for its connections.
//!
//! We drive hyper ourselves instead of through axum, because a connection must end if its client
//! takes too long (see `connection`), and the number of connections is limited.

use std::future::{Future, poll_fn};
use std::io;
use std::net::{Ipv4Addr, TcpListener};
use std::path::PathBuf;
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use axum::Router;
use hyper::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::{Service as _, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use stripewise_profiles::Profiles;
use stripewise_sim::world::Model;
use stripewise_units::kernel::KernelVersion;
use tokio::net::TcpStream;
use tokio::runtime::{Builder, Runtime};
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::task::yield_now;

use crate::advice::Advisor;
use crate::api::{Gates, Shared, router};
use crate::choices::Choices;
use crate::connection::{Connections, Deadlines, Timely, Turn};
use crate::guard::Guard;
use crate::shown::Offer;
use crate::stored::{Reader, Runs};
use crate::token::Token;

/// The most bytes and lines of the head of a request.
const HEAD_BYTES_MAX: usize = 16 << 10;
const HEAD_LINES_MAX: usize = 64;
/// Threads that read the store and simulate.
const THREADS_MAX: usize = 8;
/// How long simulations may continue after the server ends.
const END_TIMEOUT: Duration = Duration::from_millis(200);
/// The pause after a failed accept: the system has run out of a resource.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// The configuration of a server.
#[derive(Debug)]
pub struct Config {
    /// The store of runs; it may be created later.
    pub store: PathBuf,
    /// The `--store` option of commands for this store: empty for the default store.
    pub store_option: String,
    /// The profiles that questions can name.
    pub profiles: Profiles,
    /// The kernel that questions begin with.
    pub kernel: KernelVersion,
    /// The port; 0 for any that is free.
    pub port: u16,
    /// Reads the settings of runs.
    pub reader: Reader,
    /// The answers of other commands that the page offers.
    pub offers: Vec<Offer>,
    /// Answers what to build.
    pub advisor: Advisor,
    /// How long clients and questions may take.
    pub deadlines: Deadlines,
}

/// Why a page cannot be served.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The port is in use, or not allowed.
    #[error("failed to listen at 127.0.0.1:{port}")]
    Listen {
        /// The port.
        port: u16,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// The system gave no random numbers.
    #[error("failed to generate the access token")]
    Token(#[source] getrandom::Error),
    /// A question needs a device profile and a host profile.
    #[error("a question needs a device profile and a host profile, and at least one is missing")]
    NoProfiles,
    /// A call of the system failed.
    #[error("failed to {attempted}")]
    System {
        /// The attempted action, as an infinitive.
        attempted: &'static str,
        /// Why.
        #[source]
        source: io::Error,
    },
}

impl ServeError {
    /// Returns what to do about it, where we know.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            ServeError::Listen { .. } => Some("leave `--port` out to use any free port"),
            ServeError::NoProfiles => {
                Some("leave `--profiles` out: some profiles are shipped with the program")
            }
            _ => None,
        }
    }
}

/// A local page over a store: listens on loopback only.
#[derive(Debug)]
pub struct Server {
    listener: TcpListener,
    runtime: Runtime,
    app: Router,
    guard: Arc<Guard>,
    deadlines: Deadlines,
}

impl Server {
    /// Listens, but answers only once it [runs](Server::run_until).
    ///
    /// # Errors
    /// [`ServeError`] if the port is in use, or there are no profiles.
    pub fn bind(config: Config) -> Result<Server, ServeError> {
        let model = Model::new(config.profiles, config.kernel);
        let choices = Choices::new(&model).ok_or(ServeError::NoProfiles)?;
        let port = config.port;
        let failed = |source| ServeError::Listen { port, source };
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).map_err(failed)?;
        let port = listener.local_addr().map_err(failed)?.port();
        listener.set_nonblocking(true).map_err(failed)?;
        let token = Token::draw().map_err(ServeError::Token)?;
        let guard = Arc::new(Guard { port, token });
        let shared = Shared {
            runs: Runs {
                store: config.store,
                store_option: config.store_option,
                reader: config.reader,
            },
            model,
            choices,
            offers: config.offers,
            advisor: config.advisor,
            limits: Gates::default(),
            deadlines: config.deadlines,
        };
        let runtime = Builder::new_current_thread()
            .enable_all()
            .max_blocking_threads(THREADS_MAX)
            .build()
            .map_err(system("start the threads of the server"))?;
        Ok(Server {
            listener,
            runtime,
            app: router(Arc::new(shared), Arc::clone(&guard)),
            guard,
            deadlines: config.deadlines,
        })
    }

    /// Returns the address to open, with the token in its fragment, which browsers never send.
    pub fn address(&self) -> String {
        format!("http://127.0.0.1:{}/#token={}", self.port(), self.token())
    }

    /// Returns the port.
    pub fn port(&self) -> u16 {
        self.guard.port
    }

    /// Returns the token that requests for data carry.
    pub fn token(&self) -> &str {
        self.guard.token.as_str()
    }

    /// Installs handlers for SIGINT (Ctrl-C), SIGTERM and SIGHUP, and returns a future that waits
    /// for the first of them. Call it before printing the address, so that no signal is missed.
    ///
    /// # Errors
    /// If the handlers cannot be installed.
    pub fn signals(&self) -> Result<impl Future<Output = ()> + use<>, ServeError> {
        let _entered = self.runtime.enter();
        let signals = [
            SignalKind::interrupt(),
            SignalKind::terminate(),
            SignalKind::hangup(),
        ];
        let signals = signals.into_iter().map(signal).collect::<io::Result<_>>();
        Ok(any_of(signals.map_err(system("handle signals"))?))
    }

    /// Serves until `stop` completes.
    ///
    /// # Errors
    /// If the socket cannot be waited for.
    pub fn run_until(self, stop: impl Future<Output = ()>) -> Result<(), ServeError> {
        let Server {
            listener,
            runtime,
            app,
            deadlines,
            ..
        } = self;
        let result = runtime.block_on(async {
            let listener = tokio::net::TcpListener::from_std(listener)
                .map_err(system("wait for connections"))?;
            accept(&listener, app, deadlines, stop).await;
            Ok(())
        });
        runtime.shutdown_timeout(END_TIMEOUT);
        result
    }
}

fn system(attempted: &'static str) -> impl Fn(io::Error) -> ServeError {
    move |source| ServeError::System { attempted, source }
}

async fn any_of(mut signals: Vec<Signal>) {
    poll_fn(|context| {
        let is_ready = |signal: &mut Signal| signal.poll_recv(context).is_ready();
        match signals.iter_mut().any(is_ready) {
            true => Poll::Ready(()),
            false => Poll::Pending,
        }
    })
    .await;
}

/// Accepts connections until `stop` completes.
async fn accept(
    listener: &tokio::net::TcpListener,
    app: Router,
    deadlines: Deadlines,
    stop: impl Future<Output = ()>,
) {
    let connections = Connections::default();
    let take = async {
        loop {
            match listener.accept().await {
                Ok((stream, _)) => {
                    connections.add(|turn| connection(stream, app.clone(), deadlines, turn));
                    // Read its data before a further connection can replace it.
                    yield_now().await;
                }
                Err(_) => tokio::time::sleep(ACCEPT_PAUSE).await,
            }
        }
    };
    let (mut stop, mut take) = (pin!(stop), pin!(take));
    poll_fn(|context| match stop.as_mut().poll(context) {
        Poll::Ready(()) => Poll::Ready(()),
        Poll::Pending => take.as_mut().poll(context),
    })
    .await;
}

async fn connection(stream: TcpStream, app: Router, deadlines: Deadlines, turn: Turn) {
    let app = TowerToHyperService::new(app);
    let with_turn = service_fn(move |mut request: Request<Incoming>| {
        request.extensions_mut().insert(turn.clone());
        app.call(request)
    });
    let stream = Timely::new(stream, deadlines.write);
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(deadlines.head)
        .max_buf_size(HEAD_BYTES_MAX)
        .max_headers(HEAD_LINES_MAX)
        .serve_connection(TokioIo::new(stream), with_turn);
    // The client notices an error of its connection.
    let _ = connection.await;
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Instant;

    use axum::routing::get;

    use super::*;

    /// Decreases the count when it is dropped.
    struct Counted(Arc<AtomicUsize>);

    impl Drop for Counted {
        fn drop(&mut self) {
            self.0.fetch_sub(1, Ordering::SeqCst);
        }
    }

    #[test]
    fn a_handler_ends_when_its_client_goes_away() {
        let handlers = Arc::new(AtomicUsize::new(0));
        let counter = Arc::clone(&handlers);
        let forever = move || {
            counter.fetch_add(1, Ordering::SeqCst);
            let counted = Counted(Arc::clone(&counter));
            async move {
                let _counted = counted;
                std::future::pending::<()>().await;
            }
        };
        let app = Router::new().route("/", get(forever));
        let runtime = Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
            let address = listener.local_addr().unwrap();
            let scenario = async {
                let wait_for = async |count: usize| {
                    let began = Instant::now();
                    while handlers.load(Ordering::SeqCst) != count {
                        assert!(began.elapsed() < Duration::from_secs(60), "not {count}");
                        tokio::time::sleep(Duration::from_millis(1)).await;
                    }
                };
                for _ in 0..3 {
                    let mut client = std::net::TcpStream::connect(address).unwrap();
                    client
                        .write_all(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
                        .unwrap();
                    wait_for(1).await;
                    drop(client);
                    wait_for(0).await;
                }
            };
            accept(&listener, app, Deadlines::default(), scenario).await;
        });
    }
}
