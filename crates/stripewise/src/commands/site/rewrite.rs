//! `stripewise site rewrite`: new addresses in a dump.

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use stripewise_answer::Answer;
use stripewise_catalogue::Message;
use stripewise_packing::{Packer, Packing};
use stripewise_site::{InputReport, Pairs, RewriteError, rewrite};

use super::document::SiteDocument;
use super::input::{self, InputArgs, PolicyArgs};
use crate::answers::{self, Format, FormatArgs, OutputFormatArgs};
use crate::exit::Exit;
use crate::failure::{Failure, Result};
use crate::output_file::{OutputFile, Replaces};
use crate::printer::Printer;

/// Examples at the end of the long help.
const EXAMPLES: &str = "\
Examples:
  A new domain and a new directory, in one pass:
    stripewise site rewrite --from http://old.example \\
        --to https://www.new.example --from /srv/old --to /var/www/new \\
        < dump.sql > new.sql

  From one packed file into another one, which is whole or not there:
    stripewise site rewrite --from http://old.example \\
        --to https://www.new.example dump.sql.gz --output new.sql.gz

  Count what would change, in two tables:
    stripewise site rewrite --dry-run --from http://old.example \\
        --to https://www.new.example --table wp_posts --table wp_options \\
        dump.sql

  Leave the identifiers of posts alone, and replace a name:
    stripewise site rewrite --from http://old.example \\
        --to https://www.new.example --skip-column guid \\
        --literal 'Old & Sons' 'New Ltd' dump.sql > new.sql

  One serialized value:
    printf '%s' 's:18:\"http://old.example\";' | stripewise site rewrite \\
        --format text --from http://old.example \\
        --to https://www.new.example
";

/// Replace addresses in a dump, and keep serialized PHP readable
///
/// Reads dumps of MySQL and MariaDB (also those of phpMyAdmin and mydumper), PostgreSQL and SQLite,
/// rows for `LOAD DATA`, CSV, XML, exports of WordPress, and single values. Everything that is no
/// address is written as it was, byte for byte. The memory does not grow with the dump or with its
/// lines; a value of more than 8 MiB lies in an unnamed temporary file meanwhile.
///
/// Addresses are found as they are, in JSON and JavaScript (`http:\/\/`, `\u002F`, `\x2F`),
/// percent-encoded, with entities of HTML, in CSV, and in up to eight of these in each other. In
/// serialized PHP the lengths are counted again, also where it lies in one of these forms. All pairs
/// are replaced at once, the longest first, so no pair changes what another one wrote.
///
/// An address ends where its name ends: `http://old.example` is not replaced in
/// `http://old.example.com`, `/srv/old` not in `/srv/older`.
///
/// What looks serialized and cannot be read stays as it is, and is reported with table, row and
/// reason on standard error. If an old address stays in such a value, the exit code is 1. A read or
/// write error, a full disk, or a dump that is cut off is exit code 2; with `--output`, there is no
/// file then.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Args {
    /// An old address or path; repeat for several
    #[arg(
        long,
        value_name = "OLD",
        required_unless_present = "literal",
        allow_hyphen_values = true
    )]
    from: Vec<OsString>,

    /// The new one; the first belongs to the first `--from`, the second to the second
    #[arg(
        long,
        value_name = "NEW",
        required_unless_present = "literal",
        allow_hyphen_values = true
    )]
    to: Vec<OsString>,

    /// A text that is no address, and what replaces it wherever it is: a prefix, a company's name
    #[arg(long, value_names = ["OLD", "NEW"], num_args = 2, allow_hyphen_values = true)]
    literal: Vec<OsString>,

    #[command(flatten)]
    input: InputArgs,

    /// Write into this file, packed if its name ends in .gz or .zst [default: standard output]
    #[arg(long, short, value_name = "FILE", conflicts_with = "dry_run")]
    output: Option<PathBuf>,

    /// Replace the file of --output if it exists; an input is never replaced
    #[arg(long, requires = "output")]
    replace: bool,

    /// How the output is packed [default: plain, or from the name of --output]
    #[arg(long, value_enum)]
    compress: Option<PackingName>,

    /// Only count, and print what would change in each column
    #[arg(long)]
    dry_run: bool,

    #[command(flatten)]
    policy: PolicyArgs,

    #[command(flatten)]
    format: OutputFormatArgs,
}

/// How the output is packed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum PackingName {
    /// Not at all
    Plain,
    /// gzip
    Gzip,
    /// Zstandard
    Zstd,
}

impl Args {
    fn packing(&self) -> Packing {
        let name = self.output.as_ref().map(|path| path.to_string_lossy());
        match self.compress {
            Some(PackingName::Plain) => Packing::Plain,
            Some(PackingName::Gzip) => Packing::Gzip,
            Some(PackingName::Zstd) => Packing::Zstd,
            None => name.map_or(Packing::Plain, |name| Packing::of_name(&name)),
        }
    }
}

pub(crate) fn run(args: &Args, printer: &mut Printer) -> Result<Exit> {
    let format = FormatArgs::from(args.format);
    if format.format() != Format::Text && args.output.is_none() && !args.dry_run {
        return Err(
            Failure::new("this answer and the dump cannot both go to standard output")
                .hint("name a file for the dump with `--output`, or only count with `--dry-run`"),
        );
    }
    let literals = args.literal.chunks_exact(2);
    let literals: Vec<(OsString, OsString)> = literals
        .map(|pair| (pair[0].clone(), pair[1].clone()))
        .collect();
    let pairs = input::pairs((&args.from, &args.to), &literals, args.policy.policy())?;
    input::remarks(&args.from, &args.to, printer);
    let reports = match &args.output {
        Some(path) => into_file(args, &pairs, path)?,
        None if args.dry_run => rewrite_all(args, &pairs, &mut io::sink())?,
        None => {
            let failed = |error: io::Error| not_written(&error);
            // All of them, before the first byte is written: a later one may be standard output.
            input::note(&args.input.paths());
            let stream = printer.stream().map_err(failed)?;
            let mut packer = Packer::new(stream, args.packing());
            let reports = rewrite_all(args, &pairs, &mut packer)?;
            packer.finish().map_err(failed)?;
            reports
        }
    };
    let found = SiteDocument::of_dumps(&args.input.paths(), &reports);
    let replaces_broken = args.policy.policy().broken;
    let dumps = found.dumps.iter();
    let blocks = dumps.flat_map(|dump| dump.rewritten(args.dry_run, replaces_broken));
    let blocks = blocks.collect();
    let answer = Answer::new(Message::new("site-rewrite-title"), found, blocks);
    match args.dry_run {
        true => answers::print("site rewrite", &answer, format, printer)?,
        false => answers::print_aside("site rewrite", &answer, format, printer)?,
    };
    Ok(input::exit_of(&reports))
}

fn not_written(error: &io::Error) -> Failure {
    Failure::new(format!("failed to write the output: {error}"))
}

fn into_file(args: &Args, pairs: &Pairs, path: &Path) -> Result<Vec<InputReport>> {
    let mut done: Result<Vec<InputReport>> = Ok(Vec::new());
    input::note(&args.input.paths());
    let written = OutputFile::new(path, Replaces::only_with(args.replace)).write(|file| {
        let mut packer = Packer::new(file, args.packing());
        done = rewrite_all(args, pairs, &mut packer);
        match &done {
            Ok(_) => packer.finish().map(drop),
            Err(_) => Err(io::Error::other("not complete")),
        }
    });
    let reports = done?;
    written.map(|()| reports)
}

fn rewrite_all(args: &Args, pairs: &Pairs, out: &mut dyn Write) -> Result<Vec<InputReport>> {
    let options = args.input.options(false);
    let mut reports = Vec::new();
    for path in args.input.paths() {
        let reader = input::open(&path)?;
        let report = rewrite(reader, &mut *out, pairs, &options);
        reports.push(report.map_err(|error| match &error {
            RewriteError::Write(source) => not_written(source),
            error => input::failure(&path, error),
        })?);
    }
    args.input.check_names(&reports)?;
    input::forget_inputs(&args.input.paths(), &mut reports);
    Ok(reports)
}
