//! What `rewrite`, `scan` and `verify` read: addresses, dumps, and options for both.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read};
use std::os::fd::AsFd as _;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use stripewise_catalogue::Message;
use stripewise_packing::{UnpackError, Unpacked};
use stripewise_report::strip_control;
use stripewise_site::{Format, InputReport, Options, Pair, Pairs, Policy, RewriteError};

use crate::exit::Exit;
use crate::failure::{Failure, Result};
use crate::inputs;
use crate::printer::Printer;

/// What `scan` and `verify` look for.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct SearchArgs {
    /// An old address or path; repeat for several
    #[arg(
        long,
        value_name = "OLD",
        required_unless_present = "literal",
        allow_hyphen_values = true
    )]
    from: Vec<OsString>,

    /// An exact text that is no address, such as a company's name; repeat for several
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    literal: Vec<OsString>,
}

impl SearchArgs {
    /// Returns each as its own replacement, and says what looks like a mistake.
    pub(super) fn pairs(&self, policy: Policy, printer: &mut Printer) -> Result<Pairs> {
        let literals = self.literal.iter().map(|text| (text.clone(), text.clone()));
        let pairs = pairs(
            (&self.from, &self.from),
            &literals.collect::<Vec<_>>(),
            policy,
        )?;
        remarks(&self.from, &self.from, printer);
        Ok(pairs)
    }
}

/// How many tables a hint names.
const TABLES_SHOWN: usize = 20;

/// The format of a dump.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum FormatName {
    /// Statements; their beginning tells of which server
    Sql,
    /// Statements of MySQL or MariaDB
    Mysql,
    /// Statements of PostgreSQL, as pg_dump writes them
    Postgres,
    /// Statements of SQLite, as `.dump` writes them
    Sqlite,
    /// Rows for `LOAD DATA`, as `mysqldump --tab` writes them
    Tsv,
    /// Rows with commas between fields, and doubled quotes
    Csv,
    /// One value: any text, or serialized PHP
    Text,
    /// Elements: `mysqldump --xml`, phpMyAdmin, WordPress's own export
    #[value(alias = "wxr")]
    Xml,
}

impl From<FormatName> for Format {
    fn from(name: FormatName) -> Self {
        match name {
            FormatName::Sql => Format::Sql,
            FormatName::Mysql => Format::MySql,
            FormatName::Postgres => Format::Postgres,
            FormatName::Sqlite => Format::Sqlite,
            FormatName::Tsv => Format::Tsv,
            FormatName::Csv => Format::Csv,
            FormatName::Text => Format::Text,
            FormatName::Xml => Format::Xml,
        }
    }
}

/// What happens to addresses in a place where not everybody wants them changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Treatment {
    /// Replace them
    Replace,
    /// Leave them as they are
    Keep,
}

/// The options for addresses.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct PolicyArgs {
    /// Addresses in keys of serialized arrays, and in names of properties
    #[arg(long, value_name = "WHAT", num_args = 0..=1, require_equals = true, default_value = "replace", default_missing_value = "replace")]
    keys: Treatment,

    /// Domains of e-mail addresses, where `--from` is a name without `http://`
    #[arg(long, value_name = "WHAT", num_args = 0..=1, require_equals = true, default_value = "keep", default_missing_value = "replace")]
    emails: Treatment,

    /// Addresses in text that is packed as base64
    #[arg(long, value_name = "WHAT", num_args = 0..=1, require_equals = true, default_value = "keep", default_missing_value = "replace")]
    base64: Treatment,

    /// Subdomains, where `--from` is a name without `http://`: `shop.old.example` for `old.example`
    #[arg(long, value_name = "WHAT", num_args = 0..=1, require_equals = true, default_value = "keep", default_missing_value = "replace")]
    subdomains: Treatment,

    /// Addresses in values that look like serialized PHP, but that PHP cannot read
    ///
    /// Such a value was broken before, mostly by a search-and-replace that counted no length again. It
    /// is named with table, row and reason. Replacing is as in any text: PHP cannot read it then, either.
    #[arg(long, value_name = "WHAT", num_args = 0..=1, require_equals = true, default_value = "keep", default_missing_value = "replace")]
    broken: Treatment,

    /// Match names of hosts in capital letters, too; paths match in their own case only
    #[arg(long)]
    ignore_case: bool,
}

impl PolicyArgs {
    pub(super) fn policy(&self) -> Policy {
        let replaces = |treatment| treatment == Treatment::Replace;
        Policy {
            keys: replaces(self.keys),
            emails: replaces(self.emails),
            base64: replaces(self.base64),
            subdomains: replaces(self.subdomains),
            broken: replaces(self.broken),
            ignore_case: self.ignore_case,
        }
    }
}

/// The options for dumps.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct InputArgs {
    /// Dumps: plain, gzip or Zstandard; `-` or none is standard input
    #[arg(value_name = "FILE")]
    pub(super) files: Vec<PathBuf>,

    /// The format of the dumps [default: from how they begin]
    #[arg(long, value_enum)]
    format: Option<FormatName>,

    /// Only this table; repeat for several
    #[arg(long, value_name = "TABLE")]
    table: Vec<String>,

    /// Not this table; repeat for several
    #[arg(long, value_name = "TABLE")]
    skip_table: Vec<String>,

    /// Not this column: NAME or TABLE.NAME, such as `guid`; repeat for several
    #[arg(long, value_name = "COLUMN")]
    skip_column: Vec<String>,

    /// Read `\` as a letter: the server had the mode NO_BACKSLASH_ESCAPES
    ///
    /// It is recognised where the dump sets the mode itself, and in dumps of SQLite.
    #[arg(long)]
    no_backslash_escapes: bool,

    /// Accept a dump that ends too early
    #[arg(long)]
    partial: bool,
}

impl InputArgs {
    pub(super) fn options(&self, scan: bool) -> Options {
        Options {
            format: self.format.map(Format::from),
            tables: self.table.clone(),
            skip_tables: self.skip_table.clone(),
            skip_columns: self.skip_column.clone(),
            no_backslash: self.no_backslash_escapes,
            partial: self.partial,
            scan,
        }
    }

    /// Refuses a table or a column that no input has: its name is mistyped, or the format has none.
    ///
    /// # Errors
    /// If `--table`, `--skip-table` or `--skip-column` names one.
    pub(super) fn check_names<'a>(
        &self,
        reports: impl IntoIterator<Item = &'a InputReport> + Clone,
    ) -> Result<()> {
        let columns = reports
            .clone()
            .into_iter()
            .flat_map(InputReport::column_names);
        let columns: Vec<(&str, &str)> = columns.collect();
        let is_there = |asked: &&String| {
            columns.iter().any(|(table, column)| {
                asked.as_str() == *column || **asked == format!("{table}.{column}")
            })
        };
        if let Some(missing) = self.skip_column.iter().find(|asked| !is_there(asked)) {
            let message = format!("the input has no column `{}`", strip_control(missing));
            return Err(Failure::new(message).hint("a column is NAME or TABLE.NAME"));
        }
        let names = reports.into_iter().flat_map(InputReport::table_names);
        let mut names: Vec<&str> = names.collect();
        names.retain(|name| !name.is_empty());
        names.sort_unstable();
        names.dedup();
        let mut asked = self.table.iter().chain(&self.skip_table);
        let Some(missing) = asked.find(|name| !names.contains(&name.as_str())) else {
            return Ok(());
        };
        let shown = names[..names.len().min(TABLES_SHOWN)].join(", ");
        let hint = match (names.len(), names.len() > TABLES_SHOWN) {
            (0, _) => "only statements of SQL, and XML, name their tables".to_owned(),
            (_, false) => format!("its tables: {shown}"),
            (count, true) => format!("the first of its {count} tables: {shown}"),
        };
        let message = format!("the input has no table `{}`", strip_control(missing));
        Err(Failure::new(message).hint(strip_control(&hint)))
    }

    /// Returns the inputs: standard input if no file is named.
    pub(super) fn paths(&self) -> Vec<PathBuf> {
        match self.files.is_empty() {
            true => vec![PathBuf::from("-")],
            false => self.files.clone(),
        }
    }
}

/// Notes the inputs, which are opened one after the other, so that no output replaces one.
pub(super) fn note(paths: &[PathBuf]) {
    for path in paths {
        match path == Path::new("-") {
            true => inputs::note(io::stdin()),
            false => inputs::note_path(path),
        }
    }
}

/// Opens an input, and unpacks it.
pub(super) fn open(path: &Path) -> Result<Box<dyn Read>> {
    let failed = |error: io::Error| not_read(path, &error);
    // The directory form of pg_dump, and each of its files by itself.
    if path.join("toc.dat").is_file() {
        let message = format!(
            "cannot read {}: this is an archive of pg_dump in its directory form",
            name_of(path)
        );
        let hint = format!(
            "turn it into text: `pg_restore --file=dump.sql {}`",
            path.display()
        );
        return Err(Failure::new(message).hint(strip_control(&hint)));
    }
    let file = match path == Path::new("-") {
        true => File::from(io::stdin().as_fd().try_clone_to_owned().map_err(failed)?),
        false => File::open(path).map_err(failed)?,
    };
    inputs::note(&file);
    match Unpacked::new(file) {
        Ok(input) => Ok(Box::new(input)),
        Err(UnpackError::Read(error)) => Err(failed(error)),
        Err(error @ UnpackError::Foreign { program, .. }) => {
            let message = format!("cannot read {}: {error}", name_of(path));
            Err(Failure::new(message).hint(format!("unpack it first: `{program}`")))
        }
    }
}

fn not_read(path: &Path, error: &io::Error) -> Failure {
    // Without the cause as an error: a closed pipe is one here.
    Failure::new(format!("failed to read {}: {error}", name_of(path)))
}

/// Returns the name of an input for messages.
pub(super) fn name_of(path: &Path) -> String {
    shown_name(&path.to_string_lossy())
}

/// Returns the name of an input as documents have it, for messages.
pub(super) fn shown_name(name: &str) -> String {
    match name {
        "-" => "standard input".to_owned(),
        name => format!("`{name}`"),
    }
}

/// Turns an error into a failure. A closed pipe is one: the other side has half a dump.
pub(super) fn failure(path: &Path, error: &RewriteError) -> Failure {
    let cause = std::error::Error::source(error).map(|cause| format!(": {cause}"));
    let text = format!("{}: {error}{}", name_of(path), cause.unwrap_or_default());
    match error.hint() {
        Some(hint) => Failure::new(text).hint(hint),
        None => Failure::new(text),
    }
}

/// Returns the pairs of addresses, and those of texts that are none.
pub(super) fn pairs(
    (from, to): (&[OsString], &[OsString]),
    literals: &[(OsString, OsString)],
    policy: Policy,
) -> Result<Pairs> {
    if from.len() != to.len() {
        let message = format!(
            "{} `--from` and {} `--to`: each address needs the one that replaces it",
            from.len(),
            to.len()
        );
        return Err(Failure::new(message).hint("give them in pairs: `--from OLD --to NEW`"));
    }
    let pair = |(from, to): (&OsString, &OsString)| Pair {
        from: from.clone().into_vec(),
        to: to.clone().into_vec(),
    };
    let pairs: Vec<Pair> = from.iter().zip(to).map(pair).collect();
    let literals = literals.iter().map(|(from, to)| pair((from, to)));
    Pairs::with_literals(&pairs, &literals.collect::<Vec<_>>(), policy).map_err(Failure::new)
}

/// Says what looks like a mistake in the pairs: a `/` at the end of one side, and a text that is no
/// address.
pub(super) fn remarks(from: &[OsString], to: &[OsString], printer: &mut Printer) {
    for (from, to) in from.iter().zip(to) {
        let ends = |text: &OsString| text.as_bytes().ends_with(b"/");
        let shown = |text: &OsString| strip_control(&text.to_string_lossy());
        if ends(from) != ends(to) && !to.is_empty() {
            let message = Message::new("site-one-slash");
            printer.remark(&message.name("from", shown(from)).name("to", shown(to)));
        }
        let text = from.as_bytes();
        let is_address = text.iter().any(|byte| b"./\\:".contains(byte)) || text == b"localhost";
        if !is_address {
            printer.remark(&Message::new("site-no-address").name("from", shown(from)));
        }
    }
}

/// Returns whether every address could be replaced.
pub(super) fn exit_of(reports: &[InputReport]) -> Exit {
    match reports.iter().all(|report| report.stuck() == 0) {
        true => Exit::Done,
        false => Exit::No,
    }
}

/// Forgets the files that an input includes and that are inputs, too.
pub(super) fn forget_inputs(paths: &[PathBuf], reports: &mut [InputReport]) {
    let name = |path: &PathBuf| Some(path.file_name()?.to_string_lossy().into_owned());
    let names: Vec<String> = paths.iter().filter_map(name).collect();
    for report in reports {
        report.forget_included(|included| names.iter().any(|name| name == included));
    }
}
