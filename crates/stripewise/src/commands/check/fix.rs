//! `check --fix`: writes kernel settings that `restore` can undo.
//!
//! The changes stand in the store as a run without cells, as those of `site permissions` do:
//! `latest` and `resume` pass over such a run, and only `restore` undoes it.

use std::path::Path;

use stripewise_catalogue::Message;
use stripewise_check::{Rule, Text};
use stripewise_machine::Root;
use stripewise_metal::write_setting;
use stripewise_results::world::RunOrigin;
use stripewise_results::{NewRun, RunEnd};
use stripewise_study::facts::Facts;
use stripewise_study::world::WorldError;

use crate::commands::collect::read_live;
use crate::exit::Exit;
use crate::failure::{Failure, Result};
use crate::printer::Printer;
use crate::stores::StoreArgs;

pub(super) fn run(
    rule: &Rule,
    is_confirmed: bool,
    stores: &StoreArgs,
    printer: &mut Printer,
) -> Result<Exit> {
    let Some(settings) = rule.settings else {
        let message = format!("`{}` is not fixed by a setting that can be undone", rule.id);
        return Err(Failure::new(message).hint(format!(
            "`stripewise check --explain {}` shows what to do",
            rule.id
        )));
    };
    let settings = settings(&read_live()?).map_err(|missing| {
        Failure::new(format!(
            "a fact is missing: {}: {}",
            missing.fact, missing.why
        ))
    })?;
    if settings.is_empty() {
        printer.remark(&Message::new("check-nothing-to-write").name("name", rule.id));
        return Ok(Exit::Done);
    }
    for setting in &settings {
        printer.show(&format!("echo '{}' > {}", setting.value, setting.path));
    }
    let risk = rule.named("check-page-risk", Text::Risk);
    printer.show(&printer.view().say(&risk));
    confirm(rule, is_confirmed, printer)?;
    let mut store = stores.open()?;
    let new = NewRun::of(RunOrigin::Check, rule.id);
    let run = store.begin_run(&new, &[], &Facts::default())?;
    let mut written = 0;
    let mut failed: Option<WorldError> = None;
    for setting in &settings {
        let mut journal = store.journal(run);
        match write_setting(
            &Root::live(),
            Path::new(&setting.path),
            &setting.value,
            &mut journal,
        ) {
            Ok(is_changed) => written += usize::from(is_changed),
            Err(error) => failed = failed.or(Some(error)),
        }
    }
    store.finish_run(run, RunEnd::Done)?;
    if let Some(error) = failed {
        return Err(error.into());
    }
    let command = format!("stripewise restore{}", stores.again());
    let message = Message::new("check-written").count("count", written);
    printer.remark(&message.name("command", command));
    Ok(Exit::Done)
}

fn confirm(rule: &Rule, is_confirmed: bool, printer: &mut Printer) -> Result<()> {
    if is_confirmed {
        return Ok(());
    }
    if !printer.can_ask() {
        return Err(
            Failure::new("nobody can confirm the settings: nothing was written")
                .hint("add `--yes`"),
        );
    }
    let typed = printer.ask(&Message::new("check-write").name("name", rule.id))?;
    match typed == rule.id {
        true => Ok(()),
        false => Err(Failure::new("not confirmed: nothing was written")
            .hint("type the name of the rule as it is shown")),
    }
}
