//! Restores a host whose agent was killed, or could not be reached.

use stripewise_process::UntilStopped;
use stripewise_study::hosts::{Host, destination_problem};
use stripewise_study::world::WorldError;

use crate::Say;
use crate::folder::Token;
use crate::hub::{How, Hub, in_words};
use crate::ssh;
use crate::wire::{Answer, ToHost};

/// What became of a host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Restored {
    /// Nothing of the run is left on it.
    Done,
    /// This could not be undone.
    Left(Vec<String>),
}

/// Connects to a host and undoes what a run left in the folder of this name there.
///
/// # Errors
/// If the host cannot be reached, or the change of the journal is forged.
pub fn on_host(
    host: &str,
    destination: &str,
    token: &str,
    say: Say,
) -> Result<Restored, WorldError> {
    if let Some(why) = destination_problem(destination) {
        let message = format!("the journal names a host that `ssh` must not be called with: {why}");
        return Err(WorldError::plain(message));
    }
    let Some(token) = Token::of(token) else {
        return Err(WorldError::plain(
            "the journal names a folder that no run can have made",
        ));
    };
    let host = Host {
        name: host.to_owned(),
        destination: destination.to_owned(),
    };
    one(&host, &token, say)
}

/// As [`on_host`], for a checked host.
pub(crate) fn one(host: &Host, token: &Token, say: Say) -> Result<Restored, WorldError> {
    let unreachable = |why: String, hint: Option<&'static str>| {
        let error = WorldError::plain(format!("`{}`: {why}", host.name));
        match hint {
            Some(hint) => error.or_hint(hint),
            None => error,
        }
    };
    let hosts = [(host.clone(), token.clone())];
    let mut hub = Hub::connect(&hosts, &mut UntilStopped)?;
    let answers = hub.ask(|_| ToHost::Restore, How::ANSWER, &mut UntilStopped)?;
    let answer = answers.into_iter().next().flatten();
    match (answer, &hub.sessions[0].lost) {
        (Some(Ok(Answer::Restored { left })), _) => {
            hub.sessions[0].close();
            hub.sessions[0].wait(std::time::Duration::from_secs(5));
            Ok(match left.is_empty() {
                true => Restored::Done,
                false => Restored::Left(left),
            })
        }
        (Some(Err(error)), _) => Err(unreachable(in_words(error), None)),
        (_, Some(why)) => {
            let text = say(&why.message());
            let hint = ssh::hint(&text);
            Err(unreachable(text, hint))
        }
        (_, None) => Err(unreachable("it gave no answer".to_owned(), None)),
    }
}
