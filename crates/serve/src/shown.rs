//! Answers of other commands on the page: of this machine, made when a reader opens it, and of files
//! that were named when the server was started.

use serde::Serialize;
use serde_json::Value;
use stripewise_answer::{Answer, Block};
use stripewise_catalogue::{Message, as_english};

use crate::error::{ApiError, Result};

/// GET /api/answer?number=1: what a command answers.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct ShownAnswer {
    /// What it is, in a few words.
    pub title: Message,
    /// What it is about: this machine, a file.
    pub about: Option<Message>,
    /// What the command prints with `--json`.
    #[cfg_attr(test, ts(type = "unknown"))]
    pub document: Value,
    /// What people read.
    pub blocks: Vec<Block>,
}

impl ShownAnswer {
    /// Returns an answer as the page gets it.
    ///
    /// # Errors
    /// If its document cannot be written as JSON.
    pub fn of<D: Serialize>(answer: &Answer<D>) -> std::result::Result<Self, serde_json::Error> {
        Ok(Self {
            title: answer.title.clone(),
            about: answer.about.clone(),
            document: as_english(|| serde_json::to_value(&answer.document))?,
            blocks: answer.page(),
        })
    }
}

/// An answer that the page offers.
#[derive(Debug)]
pub struct Offer {
    /// What it is, in a few words.
    pub title: Message,
    /// What it is about.
    pub about: Option<Message>,
    /// Where it comes from.
    pub source: Source,
}

impl Offer {
    /// Returns the offer of an answer that is there.
    ///
    /// # Errors
    /// As [`ShownAnswer::of`].
    pub fn made<D: Serialize>(answer: &Answer<D>) -> std::result::Result<Self, serde_json::Error> {
        let shown = ShownAnswer::of(answer)?;
        Ok(Self {
            title: shown.title.clone(),
            about: shown.about.clone(),
            source: Source::Made(Box::new(shown)),
        })
    }
}

/// Where an answer comes from.
#[derive(Debug)]
pub enum Source {
    /// It was made at the start.
    Made(Box<ShownAnswer>),
    /// It is made anew each time; why it cannot be is in English.
    Now(fn() -> std::result::Result<ShownAnswer, String>),
}

/// GET /api/answers: the answers that the page offers; the first has the number 1.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub(crate) struct OfferLine<'a> {
    /// What it is, in a few words.
    title: &'a Message,
    /// What it is about.
    about: Option<&'a Message>,
}

impl<'a> From<&'a Offer> for OfferLine<'a> {
    fn from(offer: &'a Offer) -> Self {
        Self {
            title: &offer.title,
            about: offer.about.as_ref(),
        }
    }
}

/// Returns the answer with a number, which begins at 1.
pub(crate) fn numbered(offers: &[Offer], number: usize) -> Result<ShownAnswer> {
    let offer = number.checked_sub(1).and_then(|index| offers.get(index));
    let offer = offer.ok_or_else(|| {
        let error = format!("no answer {number}: this page has {}", offers.len());
        ApiError::not_found(error).hint("`/api/answers` lists them")
    })?;
    match &offer.source {
        Source::Made(answer) => Ok(ShownAnswer::clone(answer)),
        Source::Now(make) => make().map_err(ApiError::unanswerable),
    }
}
