//! `advise` on the live page: the search of the command, for the words that a form makes.

use clap::Parser as _;
use stripewise_answer::{Block, Tone};
use stripewise_catalogue::Message;
use stripewise_profiles::HOST_DEFAULT;
use stripewise_report::explanation::Explanation;
use stripewise_report::explanation::advice::Advice;
use stripewise_serve::{AdviceAnswer, AdviceQuestion, AdviceRefusal, Advising};
use stripewise_sim::world::Model;
use stripewise_study::plan::Study;
use stripewise_study::workload::Load;

use super::Args;
use super::search::Search;
use crate::answers::Format;
use crate::args::{self, Command};
use crate::failure::{Failure, Result};

/// The most I/Os in flight of one load: more take too long for a page.
const IN_FLIGHT_MAX: u64 = 1024;

/// Answers a question of the page, with the profiles and the memory of `model`.
pub(crate) fn answer(
    question: &AdviceQuestion,
    model: &Model,
    advising: &mut dyn Advising,
) -> std::result::Result<AdviceAnswer, AdviceRefusal> {
    answered(question, model, advising).map_err(|failure| {
        let mistake = failure.mistake().and_then(|study| study.problems().first());
        AdviceRefusal {
            error: mistake.map_or_else(|| failure.message(), |one| one.message.clone()),
            hint: mistake
                .and_then(|one| one.hint.clone())
                .or_else(|| failure.hinted().map(str::to_owned)),
        }
    })
}

fn answered(
    question: &AdviceQuestion,
    model: &Model,
    advising: &mut dyn Advising,
) -> Result<AdviceAnswer> {
    let args = read(&question.options(model.kernel))?;
    let asked = args.asked()?;
    let study = args.study(&asked.loads, &args.arrays()?)?;
    let model = model_of(model, &args, &study)?;
    let command = question.command(model.kernel);
    let mut search = Search::new(&args, &model, &study, asked.weights, None)?;
    let rotational = search.is_rotational();
    let page = |advice: &Advice, mut blocks: Vec<Block>| {
        blocks.push(Block::heading(Message::new("live-command")));
        blocks.push(Block::Code(command.clone()));
        AdviceAnswer {
            picture: advice.picture(|stack| args.practice(rotational, stack).steps()),
            blocks,
            is_preview: false,
        }
    };
    let advised = args.decide(&mut search, advising)?;
    let nothing = Explanation::new(&model, args.simulation.seed)?;
    let first = args.advice(&search, advised.clone(), nothing);
    let mut words = first.first_words();
    words.insert(
        1,
        Block::toned(Tone::Warn, Message::new("live-advise-preview")),
    );
    advising.preview(AdviceAnswer {
        is_preview: true,
        ..page(&first, words)
    });
    let mut advice = args.compared(&search, &study, advised, advising)?;
    args.add_practice(&search, &mut advice);
    let mut blocks = advice.blocks();
    if !advice.unseen.is_empty() {
        let message = Message::new("live-advise-limit");
        blocks.insert(1, Block::toned(Tone::Warn, message));
    }
    Ok(page(&advice, blocks))
}

/// Reads the words of a question as the command line does.
fn read(options: &[(&str, String)]) -> Result<Args> {
    // A value in the word of its option is never an option.
    let words = options
        .iter()
        .map(|(option, value)| format!("{option}={value}"));
    let all = ["stripewise".to_owned(), "advise".to_owned()].into_iter();
    let read = args::Args::try_parse_from(all.chain(words));
    match read.map(|args| args.command) {
        Ok(Command::Advise(mut args)) => {
            // A page shows what each design keeps and costs.
            args.front = true;
            debug_assert_eq!(args.format.format(), Format::Text);
            Ok(args)
        }
        Ok(_) => Err(Failure::new("the question is none of `advise`")),
        Err(error) => {
            let text = error.to_string();
            let first = text.lines().next().unwrap_or_default();
            Err(Failure::new(first.trim_start_matches("error: ")))
        }
    }
}

/// Returns the model of the question: with the profiles of its devices and host alone.
fn model_of(model: &Model, args: &Args, study: &Study) -> Result<Model> {
    let name = &args.devices().profile;
    let mut model = model.clone();
    model.profiles.devices.retain(|other, _| other == name);
    let Some(device) = model.profiles.devices.get(name) else {
        return Err(Failure::new(format!("there is no device profile `{name}`"))
            .hint("`stripewise profiles` lists them; the page reads them when it starts"));
    };
    let fitted = device
        .host
        .clone()
        .filter(|host| model.profiles.hosts.contains_key(host));
    model.host = Some(fitted.unwrap_or_else(|| HOST_DEFAULT.to_owned()));
    model.kernel = study.kernel.unwrap_or(model.kernel);
    args.check_price(Some(device))?;
    for cell in &study.cells {
        let in_flight: u64 = cell.workload.loads().map(Load::in_flight).sum();
        if in_flight > IN_FLIGHT_MAX {
            return Err(Failure::new(format!(
                "the load keeps {in_flight} I/Os in flight, more than {IN_FLIGHT_MAX}"
            ))
            .hint("`stripewise advise` has no such limit, but may take longer"));
        }
    }
    Ok(model)
}
