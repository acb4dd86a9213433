//! Reads the settings of a stored run, and prints it.

use stripewise_answer::{Answer, Block};
use stripewise_catalogue::Message;
use stripewise_format::parse_with;
use stripewise_profiles::Profiles;
use stripewise_report::document::{Document, ModelPart, RunSettings};
use stripewise_report::lifetime::AskedLifetime;
use stripewise_report::power_cuts::{PowerCuts, verdicts};
use stripewise_results::world::WorldSpec;
use stripewise_results::{Run, Store};
use stripewise_sim::world::Model;
use stripewise_study::lifetime::Lifetime;
use stripewise_study::trace::StoredTraces;
use stripewise_study::world::WorldName;
use stripewise_worlds as worlds;
use stripewise_worlds::settings::Settings;

use super::resume;
use crate::answers::{self, Format, FormatArgs};
use crate::exit::Exit;
use crate::failure::{Failure, Result};
use crate::printer::Printer;
use crate::stores::StoreArgs;

/// Checks that the settings that are stored with a run, if any, can be read.
///
/// # Errors
/// If they are not settings of this program, or a profile in them cannot be read: later commands
/// would fail, or leave them out.
pub(crate) fn check_settings(run: &Run) -> Result<()> {
    let failed = |failure: Failure| failure.context(format!("run {}: its options", run.summary.id));
    if !run.options.is_null() {
        Settings::of(run).map_err(|error| failed(Failure::new(error)))?;
    }
    if let Some(profiles) = run.world.as_ref().and_then(WorldSpec::profiles) {
        profiles.parse().map_err(|error| failed(error.into()))?;
    }
    Ok(())
}

/// Returns the settings of a stored run; defaults for imported results, which have no study.
pub(crate) fn asked(run: &Run) -> RunSettings {
    let mut traces = StoredTraces::of(&run.cells);
    let study = parse_with("the study of this run", &run.study_text, &mut traces).ok();
    let settings = Settings::of(run).ok();
    let model = run.world.as_ref().and_then(WorldSpec::model);
    let model = model.map(|model| {
        let devices = model.profiles.devices.keys().cloned().collect();
        ModelPart::new(model.kernel, model.host.clone(), devices)
    });
    let study = match (study, settings) {
        (Some(study), Some(settings)) => Some(settings.apply(run.world.as_ref(), study)),
        (study, _) => study,
    };
    match study {
        Some(study) => RunSettings {
            lifetime: study.lifetime.map(|asked| lifetime(run, asked)),
            repeat: study.repeat,
            compare: study.compare,
            model,
            is_foreign: false,
        },
        None => RunSettings {
            model,
            ..RunSettings::default()
        },
    }
}

/// Returns the same for a run of `store`, with whether only another store can resume it.
pub(crate) fn asked_in(run: &Run, store: &Store) -> RunSettings {
    RunSettings {
        is_foreign: resume::is_foreign(store, run).unwrap_or_default(),
        ..asked(run)
    }
}

/// Returns what the study of a run asks about the years of its stacks. The devices are those of the
/// simulated model; in other worlds the shipped ones that they stand for.
fn lifetime(run: &Run, asked: Lifetime) -> AskedLifetime {
    let profiles = match model(run) {
        Ok(Some(model)) => model.profiles,
        _ => Profiles::shipped(),
    };
    AskedLifetime::new(asked, profiles.devices.values())
}

/// Returns the model that simulated a stored run; `None` for other worlds.
pub(crate) fn model(run: &Run) -> Result<Option<Model>> {
    let model = run.world.as_ref().and_then(WorldSpec::model);
    Ok(model.map(worlds::model::open).transpose()?)
}

/// Returns the run of the model that predicts the power cuts of a run; `None` if there is none, it was
/// deleted, or its number is that of a run of something else.
pub(crate) fn predicted(run: &Run, store: &Store) -> Option<Run> {
    let cuts = run.world.as_ref()?.cuts()?;
    let model = store.run(cuts.model_run?).ok()?;
    let is_of_it = model.summary.origin.is(WorldName::Model) && model.study_text == run.study_text;
    is_of_it.then_some(model)
}

/// Returns the document of a run: of power cuts, beside what the model predicts of them.
fn document(run: &Run, store: &Store) -> Document {
    let document = Document::new(run, &asked_in(run, store));
    let is_about_cuts = Settings::of(run).is_ok_and(|settings| settings.risk)
        || run
            .world
            .as_ref()
            .is_some_and(|world| world.cuts().is_some());
    if !is_about_cuts {
        return document.with_answer();
    }
    let model = predicted(run, store).map(|model| Document::new(&model, &asked(&model)));
    document.with_power_cuts(model.as_ref()).with_answer()
}

/// Returns the document of a run, and its blocks with `all` cells.
pub(crate) fn answer(
    run: &Run,
    from: &Store,
    all: bool,
    store: &StoreArgs,
) -> (Document, Vec<Block>) {
    let document = document(run, from);
    let mut blocks = stripewise_report::run::blocks(&document, &store.again(), all);
    Block::share(&mut blocks, "run", &document.run.id.to_string());
    (document, blocks)
}

/// Prints a run of a store for people or programs. People get `all` cells, or only those that matter
/// of a large run.
pub(crate) fn print(
    run: &Run,
    from: &Store,
    format: FormatArgs,
    all: bool,
    store: &StoreArgs,
    printer: &mut Printer,
) -> Result<Exit> {
    let all = all || format.format() != Format::Text;
    let (document, blocks) = answer(run, from, all, store);
    let title = Message::new("show-answer-title").name("id", document.run.id);
    let answer = Answer::new(title, document, blocks);
    answers::print("show", &answer, format, printer)
}

/// Prints a run of power cuts with a verdict for each setting: no if a cut lost acknowledged data.
pub(crate) fn print_judged(
    run: &Run,
    from: &Store,
    format: FormatArgs,
    store: &StoreArgs,
    printer: &mut Printer,
) -> Result<Exit> {
    let (document, mut blocks) = answer(run, from, true, store);
    let cuts = document.power_cuts.as_ref();
    let has_loss = cuts.is_some_and(PowerCuts::has_loss);
    if let Some(cuts) = cuts {
        blocks.extend([Block::Gap, verdicts(cuts).into()]);
    }
    let title = Message::new("show-answer-title").name("id", document.run.id);
    let answer = Answer::new(title, document, blocks).no_if(has_loss);
    answers::print("pull-plug", &answer, format, printer)
}

/// Returns the document of a run whose samples were not read.
pub(crate) fn without_samples(run: &Run) -> Document {
    let mut document = Document::new(run, &asked(run));
    document.run.samples_all = usize::try_from(run.summary.samples.all).unwrap_or(usize::MAX);
    document.run.samples_counted =
        usize::try_from(run.summary.samples.counted).unwrap_or(usize::MAX);
    document.run.samples_left_out = true;
    document
}
