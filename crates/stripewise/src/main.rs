//! `stripewise`: measures, explains and predicts Linux storage.
//!
//! Parse, run, print the error once, exit: the work is in `commands`.

mod answers;
mod args;
mod array_word;
mod commands;
mod confirm;
mod confirm_program;
mod cut_world;
mod exit;
mod failure;
mod fitting;
mod foreign_tables;
mod help;
mod host_args;
mod input_file;
mod inputs;
mod lab_world;
mod live;
mod load_word;
mod meter;
mod model;
mod output_file;
mod parquet_files;
mod printer;
mod profile_files;
mod profiles;
mod progress;
mod question;
mod question_words;
mod screen;
mod stop;
mod stores;
mod study_file;
mod trace_file;

use std::process::ExitCode;

use stripewise_report::view::View;

use crate::args::Args;
use crate::printer::{Output, Printer};

fn main() -> ExitCode {
    std::panic::set_hook(Box::new(printer::print_panic));
    // If this fails, exceeding the file size limit ends the program, which is the default.
    let _ended_by_limit = stop::survive_file_limit();
    let args = match Args::from_command_line() {
        Ok(args) => args,
        Err(answer) => {
            return match printer::print_answer(&answer) {
                // A closed pipe is not an error.
                Err(failure) if !failure.is_closed_pipe() => {
                    Printer::new(Output::Normal, View::PLAIN, None).failure(&failure);
                    exit::Exit::CouldNot.into()
                }
                _ => answer.exit().into(),
            };
        }
    };
    let mut printer = Printer::new(args.output(), args.view(), args.asked_language());
    let result = commands::run(args, &mut printer);
    match result {
        Ok(exit) => exit.into(),
        // The reader closed the pipe.
        Err(failure) if failure.is_closed_pipe() => exit::Exit::Done.into(),
        Err(failure) => {
            printer.failure(&failure);
            exit::Exit::CouldNot.into()
        }
    }
}
