//! The routes: the API (`web/src/generated.ts`), and the page's own files.

use std::convert::Infallible;
use std::pin::Pin;
use std::str::FromStr;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::http::header::{CONTENT_LENGTH, CONTENT_TYPE};
use axum::http::{StatusCode, Uri};
use axum::middleware::{Next, from_fn, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use futures_core::Stream;
use serde::Serialize;
use serde::de::DeserializeOwned;
use stripewise_report::html::{APP_CSS, APP_JS, LICENCES, PACKAGES_JS, live_shell};
use stripewise_report::page::RUNS_MAX;
use stripewise_results::{RunId, RunState};
use stripewise_sim::world::Model;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};

use crate::advice::{self, AdviceQuestion, Advisor};
use crate::ask;
use crate::asking::{Effort, Permits, Waiting, Weight, acquired};
use crate::choices::Choices;
use crate::connection::{Awaited, Deadlines, Turn};
use crate::error::{ApiError, Result};
use crate::guard::{Guard, guard};
use crate::question::Question;
use crate::reply::{answer, json, reply, written};
use crate::shown::{Offer, OfferLine, numbered};
use crate::stored::{Runs, WatchLine};

/// The largest question.
const BODY_BYTES_MAX: usize = 64 << 10;
/// How long a request may take that simulates nothing. A question is limited by its steps instead.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(60);
/// Where the paths of questions begin.
const QUESTIONS: &str = "/api/ask";
/// How often a watched run is read.
const WATCH_EVERY: Duration = Duration::from_millis(500);
/// The most failed reads in a row: a store that stays unreadable is not polled forever.
const WATCH_ERRORS_MAX: u32 = 20;
/// The lines of an answer that wait for a page.
const LINES_MAX: usize = 4;
/// Readers of the store at once.
const READERS_MAX: usize = 4;
/// Watched runs at once.
const WATCHERS_MAX: usize = 16;

/// The state that handlers share.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) runs: Runs,
    /// The model with its profiles and what it has simulated.
    pub(crate) model: Model,
    pub(crate) choices: Choices,
    /// Answers of other commands.
    pub(crate) offers: Vec<Offer>,
    /// Answers what to build.
    pub(crate) advisor: Advisor,
    pub(crate) limits: Gates,
    pub(crate) deadlines: Deadlines,
}

/// Limits of concurrent work.
#[derive(Debug)]
pub(crate) struct Gates {
    questions: Permits,
    readers: Arc<Semaphore>,
    watchers: Arc<Semaphore>,
}

impl Default for Gates {
    fn default() -> Self {
        Self {
            questions: Permits::default(),
            readers: Arc::new(Semaphore::new(READERS_MAX)),
            watchers: Arc::new(Semaphore::new(WATCHERS_MAX)),
        }
    }
}

/// Returns all paths, behind the guard.
pub(crate) fn router(shared: Arc<Shared>, keeper: Arc<Guard>) -> Router {
    Router::new()
        .route("/", get(shell))
        .route("/packages.js", get(|| script(PACKAGES_JS)))
        .route("/app.js", get(|| script(APP_JS)))
        .route("/app.css", get(style))
        .route("/LICENSES.txt", get(licences))
        // Browsers always request it; an empty answer is enough.
        .route("/favicon.ico", get(StatusCode::NO_CONTENT))
        .route("/api/runs", get(runs))
        .route("/api/page", get(page))
        .route("/api/watch", get(watch))
        .route("/api/choices", get(choices))
        .route("/api/answers", get(answers))
        .route("/api/answer", get(one_answer))
        .route("/api/ask", post(ask_one))
        .route("/api/ask/curve", post(ask_curve))
        .route("/api/ask/why", post(ask_why))
        .route("/api/ask/study", post(ask_study))
        .route("/api/ask/advise", post(ask_advise))
        .fallback(nothing_here)
        .method_not_allowed_fallback(wrong_method)
        .with_state(shared)
        .layer(from_fn(in_time))
        .layer(from_fn_with_state(keeper, guard))
}

async fn in_time(request: Request, next: Next) -> Response {
    let turn = request.extensions().get::<Turn>().cloned();
    say(turn.as_ref(), Awaited::Answer);
    let is_question = request.uri().path().starts_with(QUESTIONS);
    let work = next.run(request);
    let answered = match is_question {
        true => Ok(work.await),
        false => tokio::time::timeout(REQUEST_TIMEOUT, work).await,
    };
    if let Some(turn) = turn {
        turn.answered();
    }
    match answered {
        Ok(response) => response,
        Err(_) => ApiError::new(
            StatusCode::REQUEST_TIMEOUT,
            format!("no answer within {} s", REQUEST_TIMEOUT.as_secs()),
        )
        .into_response(),
    }
}

/// Sets what a connection waits for; a request of a test has no connection.
fn say(turn: Option<&Turn>, awaited: Awaited) {
    if let Some(turn) = turn {
        turn.set(awaited);
    }
}

async fn nothing_here() -> ApiError {
    ApiError::not_found("there is nothing at this path")
}

async fn wrong_method() -> ApiError {
    ApiError::new(
        StatusCode::METHOD_NOT_ALLOWED,
        "this path does not support this method",
    )
}

async fn shell() -> Response {
    match live_shell(env!("CARGO_PKG_VERSION")) {
        Ok(html) => reply(StatusCode::OK, "text/html; charset=utf-8", html),
        Err(error) => ApiError::internal(error.to_string()).into_response(),
    }
}

async fn script(text: &'static str) -> Response {
    reply(StatusCode::OK, "text/javascript; charset=utf-8", text)
}

async fn style() -> Response {
    reply(StatusCode::OK, "text/css; charset=utf-8", APP_CSS)
}

async fn licences() -> Response {
    reply(StatusCode::OK, "text/plain; charset=utf-8", LICENCES)
}

async fn runs(State(shared): State<Arc<Shared>>) -> Response {
    answer(read(&shared, |shared| written(&shared.runs.list()?)).await)
}

async fn page(State(shared): State<Arc<Shared>>, uri: Uri) -> Response {
    let runs = match named_runs(&uri, "runs", RUNS_MAX) {
        Ok(runs) => runs,
        Err(error) => return error.into_response(),
    };
    answer(read(&shared, move |shared| written(&shared.runs.page(&runs)?)).await)
}

async fn choices(State(shared): State<Arc<Shared>>) -> Response {
    json(StatusCode::OK, &shared.choices)
}

async fn answers(State(shared): State<Arc<Shared>>) -> Response {
    let lines: Vec<OfferLine> = shared.offers.iter().map(OfferLine::from).collect();
    json(StatusCode::OK, &lines)
}

/// An answer may run programs and simulate, so it takes the place of a heavy question.
async fn one_answer(State(shared): State<Arc<Shared>>, uri: Uri) -> Response {
    let made = async {
        let number = named_numbers::<usize>(&uri, "number", 1, "numbers")?[0];
        let permit = shared.limits.questions.permit(Weight::Heavy).await?;
        let work = move |shared: &Shared| written(&numbered(&shared.offers, number)?);
        on_thread(&shared, permit, work).await
    };
    answer(made.await)
}

async fn ask_one(State(shared): State<Arc<Shared>>, request: Request) -> Response {
    let stage = match stage_of(request.uri()) {
        Ok(asked) => asked,
        Err(error) => return error.into_response(),
    };
    let work = move |shared: &Shared, question: &Question, effort: &mut Effort| {
        ask::ask(question, &shared.model, stage, effort)
    };
    answer(simulate(&shared, request, Weight::of(stage), work).await)
}

async fn ask_curve(State(shared): State<Arc<Shared>>, request: Request) -> Response {
    let stage = match stage_of(request.uri()) {
        Ok(asked) => asked,
        Err(error) => return error.into_response(),
    };
    let work = move |shared: &Shared, question: &Question, effort: &mut Effort| {
        let overlay = question.overlay.map(|run| shared.runs.one(RunId(run)));
        ask::curve(question, &shared.model, stage, overlay.transpose()?, effort)
    };
    answer(simulate(&shared, request, Weight::of(stage), work).await)
}

async fn ask_why(State(shared): State<Arc<Shared>>, request: Request) -> Response {
    let work = |shared: &Shared, question: &Question, effort: &mut Effort| {
        ask::why(question, &shared.model, effort)
    };
    answer(simulate(&shared, request, Weight::Heavy, work).await)
}

async fn ask_study(State(shared): State<Arc<Shared>>, request: Request) -> Response {
    let work = |shared: &Shared, question: &Question, _effort: &mut Effort| {
        ask::study(question, &shared.model)
    };
    answer(simulate(&shared, request, Weight::Light, work).await)
}

/// Streams JSON lines while a search goes on: how far it is, its decision, and all of the answer.
async fn ask_advise(State(shared): State<Arc<Shared>>, request: Request) -> Response {
    let turn = request.extensions().get::<Turn>().cloned();
    match begin_advice(&shared, request, turn).await {
        Ok(lines) => reply(
            StatusCode::OK,
            "application/jsonl",
            Body::from_stream(lines),
        ),
        Err(error) => error.into_response(),
    }
}

async fn begin_advice(shared: &Arc<Shared>, request: Request, turn: Option<Turn>) -> Result<Lines> {
    let question: AdviceQuestion = question(request, shared.deadlines.body).await?;
    question.check(&shared.model)?;
    let permit = shared.limits.questions.permit(Weight::Heavy).await?;
    let (sender, receiver) = mpsc::channel(LINES_MAX);
    let lines = advice::Lines::new(sender, shared.deadlines.simulation_steps);
    let of = Arc::clone(shared);
    // It ends with its page: a search whose lines nobody takes stops.
    tokio::task::spawn_blocking(move || {
        lines.answer(of.advisor, &question, &of.model);
        drop(permit);
    });
    say(turn.as_ref(), Awaited::News);
    Ok(Lines { receiver, turn })
}

/// Returns whether a request is for a preview (`?preview=true`) or for the final answer.
fn stage_of(uri: &Uri) -> Result<ask::Stage> {
    match uri.query() {
        None => Ok(ask::Stage::Final),
        Some("preview=true") => Ok(ask::Stage::Preview),
        Some(other) => Err(
            ApiError::bad_request(format!("`?{other}` is not known here")).hint(
                "`?preview=true` asks for a short simulation; without it the answer is final",
            ),
        ),
    }
}

/// Streams JSON lines while a run is running: one at once, then one after each change.
async fn watch(State(shared): State<Arc<Shared>>, request: Request) -> Response {
    let turn = request.extensions().get::<Turn>();
    match begin_watch(&shared, request.uri(), turn.cloned()).await {
        Ok(lines) => reply(
            StatusCode::OK,
            "application/jsonl",
            Body::from_stream(lines),
        ),
        Err(error) => error.into_response(),
    }
}

async fn begin_watch(shared: &Arc<Shared>, uri: &Uri, turn: Option<Turn>) -> Result<Lines> {
    let run = named_runs(uri, "run", 1)?[0];
    let busy = |_| {
        ApiError::new(
            StatusCode::SERVICE_UNAVAILABLE,
            format!("{WATCHERS_MAX} runs are watched already"),
        )
        .hint("close other windows of this page")
    };
    let permit = Arc::clone(&shared.limits.watchers)
        .try_acquire_owned()
        .map_err(busy)?;
    let first = read(shared, move |shared| shared.runs.watch(run)).await?;
    let (sender, receiver) = mpsc::channel(1);
    tokio::spawn(watch_on(Arc::clone(shared), run, first, sender, permit));
    say(turn.as_ref(), Awaited::News);
    Ok(Lines { receiver, turn })
}

/// Sends `line`, and further ones until the run has ended, cannot be read any more, or the client
/// is gone.
async fn watch_on(
    shared: Arc<Shared>,
    run: RunId,
    mut line: WatchLine,
    sender: mpsc::Sender<String>,
    _permit: OwnedSemaphorePermit,
) {
    loop {
        let Ok(text) = serde_json::to_string(&line) else {
            return;
        };
        if sender.send(text + "\n").await.is_err() || line.state != RunState::Running {
            return;
        }
        let before = line;
        let mut errors = 0;
        line = loop {
            let gone = tokio::time::timeout(WATCH_EVERY, sender.closed()).await;
            if gone.is_ok() {
                return;
            }
            match read(&shared, move |shared| shared.runs.watch(run)).await {
                Ok(now) if now != before => break now,
                Ok(_) => errors = 0,
                Err(error) if should_retry(&error, &mut errors) => {}
                Err(_) => return,
            }
        };
    }
}

/// Counts an error of a watched run, and returns whether to try again: a lock on the store ends,
/// but a deleted run does not come back.
fn should_retry(error: &ApiError, errors: &mut u32) -> bool {
    *errors += 1;
    !error.is_not_found() && *errors < WATCH_ERRORS_MAX
}

/// The lines of a watched run as they come, on a connection that waits for them.
struct Lines {
    receiver: mpsc::Receiver<String>,
    turn: Option<Turn>,
}

impl Drop for Lines {
    fn drop(&mut self) {
        say(self.turn.as_ref(), Awaited::Client);
    }
}

impl Stream for Lines {
    type Item = std::result::Result<String, Infallible>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context) -> Poll<Option<Self::Item>> {
        self.receiver.poll_recv(context).map(|line| line.map(Ok))
    }
}

/// Runs `work` on a thread that may wait for the store.
async fn read<T: Send + 'static>(
    shared: &Arc<Shared>,
    work: impl FnOnce(&Shared) -> Result<T> + Send + 'static,
) -> Result<T> {
    let permit = acquired(&shared.limits.readers).await?;
    on_thread(shared, permit, work).await
}

/// Reads the question of `request`, waits for its turn, runs `work` on it in a worker thread, and
/// returns the serialised answer.
///
/// If the page disconnects, its request is dropped: a waiting question is not worked on, and a
/// simulation ends.
async fn simulate<T: Serialize>(
    shared: &Arc<Shared>,
    request: Request,
    weight: Weight,
    work: impl Fn(&Shared, &Question, &mut Effort) -> Result<T> + Send + 'static,
) -> Result<Vec<u8>> {
    let question: Question = question(request, shared.deadlines.body).await?;
    let waiting = Waiting::new();
    let permit = shared.limits.questions.permit(weight).await?;
    let mut effort = waiting.effort(shared.deadlines.simulation_steps);
    on_thread(shared, permit, move |shared| {
        effort.spent_on(|effort| written(&work(shared, &question, effort)?))
    })
    .await
}

/// Runs `work` on another thread, which holds `permit` meanwhile.
async fn on_thread<T: Send + 'static>(
    shared: &Arc<Shared>,
    permit: impl Send + 'static,
    work: impl FnOnce(&Shared) -> Result<T> + Send + 'static,
) -> Result<T> {
    let shared = Arc::clone(shared);
    let done = tokio::task::spawn_blocking(move || {
        let result = work(&shared);
        drop(permit);
        result
    });
    done.await
        .map_err(|error| ApiError::internal(format!("failed to work on the request: {error}")))?
}

/// Returns the question in the body of a request, which must arrive within `limit`.
async fn question<Asked: DeserializeOwned>(request: Request, limit: Duration) -> Result<Asked> {
    let kind = request.headers().get(CONTENT_TYPE);
    let kind = kind.and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    let kind = kind.split(';').next().unwrap_or_default().trim();
    if !kind.eq_ignore_ascii_case("application/json") {
        return Err(
            ApiError::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "a question is JSON")
                .hint("send `Content-Type: application/json`"),
        );
    }
    let too_large = || {
        ApiError::new(
            StatusCode::PAYLOAD_TOO_LARGE,
            format!("a question has {BODY_BYTES_MAX} bytes at most"),
        )
    };
    let length = request.headers().get(CONTENT_LENGTH);
    let length = length.and_then(|length| length.to_str().ok()?.parse::<usize>().ok());
    if length.is_some_and(|length| length > BODY_BYTES_MAX) {
        return Err(too_large());
    }
    // The body may also end early because the client disconnected; then no one reads the answer.
    let turn = request.extensions().get::<Turn>().cloned();
    say(turn.as_ref(), Awaited::Client);
    let body = to_bytes(request.into_body(), BODY_BYTES_MAX);
    let body = tokio::time::timeout(limit, body).await.map_err(|_| {
        ApiError::new(
            StatusCode::REQUEST_TIMEOUT,
            format!("the question did not arrive within {} s", limit.as_secs()),
        )
    })?;
    say(turn.as_ref(), Awaited::Answer);
    let body = body.map_err(|_| too_large())?;
    serde_json::from_slice(&body).map_err(|error| {
        ApiError::bad_request(format!("failed to read the question: {error}"))
            .hint("`web/src/generated.ts` describes it")
    })
}

/// Returns the runs that the parameter `key` of a query names: 1 to `most`, each once.
fn named_runs(uri: &Uri, key: &str, most: usize) -> Result<Vec<RunId>> {
    named_numbers(uri, key, most, "numbers of runs")
}

/// Returns the numbers, called `what`, that the parameter `key` of a query names: 1 to `most`, each
/// once.
fn named_numbers<N: FromStr + PartialEq>(
    uri: &Uri,
    key: &str,
    most: usize,
    what: &str,
) -> Result<Vec<N>> {
    let wrong = |problem: String| {
        Err(ApiError::bad_request(problem).hint(format!("write `{}?{key}=3`", uri.path())))
    };
    let query = uri.query().unwrap_or_default();
    let mut values = query.split('&').filter_map(|pair| {
        let (name, value) = pair.split_once('=')?;
        (name == key).then_some(value)
    });
    let (Some(value), None) = (values.next(), values.next()) else {
        return wrong(format!("name `{key}` exactly once"));
    };
    // HTML forms encode a comma as `%2C`.
    let value = value.replace("%2C", ",").replace("%2c", ",");
    let mut numbers = Vec::new();
    for text in value.split(',') {
        match text.parse() {
            Ok(number) if numbers.contains(&number) => {}
            Ok(_) if numbers.len() == most => {
                return wrong(format!("{key}: at most {most} can be shown together"));
            }
            Ok(number) => numbers.push(number),
            Err(_) => return wrong(format!("{key}: expected {what}, which are at least 1")),
        }
    }
    Ok(numbers)
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;
    use std::pin::pin;
    use std::task::Waker;
    use std::thread::{ThreadId, current};

    use serde::Serializer;

    use stripewise_profiles::Profiles;
    use stripewise_results::StoreError;
    use stripewise_units::kernel::KernelVersion;

    use stripewise_study::world::Watch as _;
    use tokio::runtime::Builder;
    use tokio::time::Instant;

    use super::*;
    use crate::stored::Reading;

    fn shared() -> Arc<Shared> {
        let model = Model::new(Profiles::shipped(), KernelVersion::new(6, 12, 0));
        let choices = Choices::new(&model).unwrap();
        let reader = |_: &_, _: &_| Reading::default();
        Arc::new(Shared {
            runs: Runs {
                store: PathBuf::from("store.db"),
                store_option: String::new(),
                reader,
            },
            model,
            choices,
            offers: Vec::new(),
            advisor: |_, _, _| unreachable!("nothing asks what to build"),
            limits: Gates::default(),
            deadlines: Deadlines::default(),
        })
    }

    /// An answer that cannot be written on one thread.
    struct NotOn(ThreadId);

    impl Serialize for NotOn {
        fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
            match current().id() == self.0 {
                true => Err(serde::ser::Error::custom(
                    "this thread serves all connections",
                )),
                false => serializer.serialize_str("written"),
            }
        }
    }

    #[test]
    fn answers_are_serialised_on_a_worker_thread() {
        let here = current().id();
        assert!(written(&NotOn(here)).is_err());
        let shared = shared();
        let question = serde_json::to_vec(&shared.choices.question).unwrap();
        let request = Request::builder()
            .header(CONTENT_TYPE, "application/json")
            .body(Body::from(question))
            .unwrap();
        let work = move |_: &_, _: &_, _: &mut _| Ok(NotOn(here));
        let answer = simulate(&shared, request, Weight::Light, work);
        let runtime = Builder::new_current_thread().enable_all().build().unwrap();
        assert_eq!(runtime.block_on(answer).unwrap(), b"\"written\"");
    }

    /// The longest wait on a busy machine.
    const WAIT_MAX: Duration = Duration::from_secs(30);

    /// Waits until `is_so`.
    async fn wait_until(is_so: impl Fn() -> bool) {
        let began = Instant::now();
        while !is_so() {
            assert!(began.elapsed() < WAIT_MAX, "the state was not reached");
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    }

    #[test]
    fn an_abandoned_question_frees_its_worker() {
        let mut shared = Arc::into_inner(shared()).unwrap();
        shared.deadlines.simulation_steps = u64::MAX;
        let shared = Arc::new(shared);
        let question = serde_json::to_vec(&shared.choices.question).unwrap();
        // Longer than the test waits, but bounded, so that a failed test ends.
        let long = |_: &_, _: &_, effort: &mut Effort| {
            let began = Instant::now();
            while effort.keep_going(Duration::ZERO) && began.elapsed() < 2 * WAIT_MAX {
                std::thread::sleep(Duration::from_millis(1));
            }
            Err::<u8, _>(ApiError::internal("ended"))
        };
        let runtime = Builder::new_current_thread().enable_all().build().unwrap();
        for weight in [Weight::Light, Weight::Heavy] {
            let ask = || {
                let request = Request::builder()
                    .header(CONTENT_TYPE, "application/json")
                    .body(Body::from(question.clone()))
                    .unwrap();
                let shared = Arc::clone(&shared);
                async move { simulate(&shared, request, weight, long).await }
            };
            runtime.block_on(async {
                let taken = || shared.limits.questions.taken();
                let asked = tokio::spawn(ask());
                wait_until(|| taken() == 1).await;
                // A waiting question is dropped too.
                let next: Vec<_> = (0..3).map(|_| tokio::spawn(ask())).collect();
                asked.abort();
                next.iter().for_each(tokio::task::JoinHandle::abort);
                wait_until(|| taken() == 0).await;
            });
        }
    }

    #[test]
    fn heavy_questions_leave_a_worker_for_light_ones() {
        let permits = Permits::default();
        let runtime = Builder::new_current_thread().build().unwrap();
        runtime.block_on(async {
            let heavy = permits.permit(Weight::Heavy).await.unwrap();
            let second = permits.permit(Weight::Heavy);
            let mut second = pin!(second);
            let mut context = Context::from_waker(Waker::noop());
            assert!(second.as_mut().poll(&mut context).is_pending());
            let light = permits.permit(Weight::Light).await.unwrap();
            assert_eq!(permits.taken(), 2);
            drop((light, heavy));
            second.await.unwrap();
        });
    }

    #[test]
    fn a_watch_ends_at_once_for_a_missing_store_and_later_for_a_locked_one() {
        let path = PathBuf::from("store.db");
        let mut errors = 0;
        let missing = ApiError::from(StoreError::Missing { path: path.clone() });
        assert!(!should_retry(&missing, &mut errors));

        let locked = ApiError::from(StoreError::Locked {
            path,
            attempted: "read a run",
        });
        let mut errors = 0;
        let looks = std::iter::repeat_with(|| should_retry(&locked, &mut errors));
        assert_eq!(looks.take_while(|again| *again).take(100).count(), 19);
    }
}
