//! `stripewise studies`: which studies come with the program.

use serde::Serialize;
use stripewise_answer::{Answer, Block};
use stripewise_catalogue::Message;
use stripewise_format::studies::{STUDIES, ShippedStudy};
use stripewise_report::document::SCHEMA;
use stripewise_report::studies::{StudyLine, studies};

use crate::answers::{self, FormatArgs};
use crate::exit::Exit;
use crate::failure::Result;
use crate::printer::Printer;
use crate::study_file::StudyFile;

/// Examples at the end of the long help.
const EXAMPLES: &str = "\
Examples:
  List the studies, or print one:
    stripewise studies
    stripewise studies raid-level

  Take one by its name, from any directory:
    stripewise study raid-level

  Change one: print it into a file, and run that:
    stripewise studies block-size > mine.toml
    stripewise study mine.toml
";

/// List the studies that come with the program
///
/// A shipped study is taken by its name wherever a command takes a study, from any directory:
/// `stripewise run raid-level --world model`. A file of that name needs a path, `./raid-level`, or
/// the end `.toml`.
///
/// The columns show how many cells a study has, the option that runs it as it is, and the question
/// that it answers. With NAME, prints the TOML file of that study. Reads only.
///
/// docs/studies shows the answers of many of them, and docs/study.md describes every key.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Args {
    /// Print this study: its file
    #[arg(value_name = "NAME")]
    name: Option<String>,

    #[command(flatten)]
    format: FormatArgs,
}

/// The list, for programs.
#[derive(Serialize)]
struct List {
    schema: u32,
    studies: Vec<StudyLine>,
}

/// One study, for programs.
#[derive(Serialize)]
struct Shown {
    schema: u32,
    study: StudyLine,
    text: &'static str,
}

pub(crate) fn run(args: &Args, printer: &mut Printer) -> Result<Exit> {
    match &args.name {
        Some(name) => show(name, args.format, printer),
        None => list(args.format, printer),
    }
}

fn line(shipped: &ShippedStudy) -> Result<StudyLine> {
    let file = StudyFile::read(&shipped.path())?;
    Ok(StudyLine::new(shipped, &file.study))
}

fn list(format: FormatArgs, printer: &mut Printer) -> Result<Exit> {
    let lines = STUDIES.iter().map(line).collect::<Result<Vec<_>>>()?;
    let blocks = vec![studies(&lines).into()];
    let document = List {
        schema: SCHEMA,
        studies: lines,
    };
    let answer = Answer::new(Message::new("studies-title"), document, blocks);
    let exit = answers::print("studies", &answer, format, printer)?;
    printer.remark(&Message::new("studies-use"));
    Ok(exit)
}

fn show(name: &str, format: FormatArgs, printer: &mut Printer) -> Result<Exit> {
    let shipped = StudyFile::shipped(name)?;
    let document = Shown {
        schema: SCHEMA,
        study: line(shipped)?,
        text: shipped.text,
    };
    let blocks = vec![Block::Code(shipped.text.to_owned())];
    let answer = Answer::new(Message::new("studies-title"), document, blocks);
    answers::print("studies", &answer, format, printer)
}
