//! The facts that `check` judges, collected from many hosts at once.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use stripewise_process::UntilStopped;
use stripewise_study::hosts::Host;
use stripewise_study::world::{NeverCancel, WorldError};

use crate::Say;
use crate::folder::Token;
use crate::hub::{How, Hub, in_words};
use crate::wire::{Answer, ToHost};

/// What a host gave: the archive that `collect` writes, or why there is none.
pub type Collected = Result<Vec<u8>, String>;

/// Collects the facts of all hosts at once, and returns those of each, in their order. Reads only.
///
/// # Errors
/// If `ssh` cannot be started, or this process is asked to stop. A host without facts is no error.
pub fn collect(hosts: &[Host], say: Say) -> Result<Vec<(String, Collected)>, WorldError> {
    let tokens = hosts.iter().map(|host| Ok((host.clone(), Token::draw()?)));
    let tokens: Result<Vec<_>, std::io::Error> = tokens.collect();
    let hosts =
        tokens.map_err(|error| WorldError::failed("failed to name folders on the hosts", error))?;
    let mut hub = Hub::connect(&hosts, &mut UntilStopped)?;
    let answers = hub.ask(|_| ToHost::Collect, How::ANSWER, &mut UntilStopped)?;
    hub.ask(|_| ToHost::Restore, How::ANSWER, &mut NeverCancel)?;
    let mut all = Vec::new();
    for (session, answer) in hub.sessions.iter_mut().zip(answers) {
        session.close();
        session.wait(std::time::Duration::from_secs(5));
        let collected = match (answer, &session.lost) {
            (Some(Ok(Answer::Collected { parts })), _) => unpacked(&parts),
            (Some(Err(error)), _) => Err(in_words(error)),
            (_, Some(why)) => Err(say(&why.message())),
            (_, None) => Err("it gave no answer".to_owned()),
        };
        all.push((session.host.clone(), collected));
    }
    Ok(all)
}

fn unpacked(parts: &[String]) -> Collected {
    let parts = parts.iter().map(|part| STANDARD.decode(part));
    let parts: Result<Vec<Vec<u8>>, _> = parts.collect();
    parts
        .map(|parts| parts.concat())
        .map_err(|error| format!("its answer is damaged: {error}"))
}
