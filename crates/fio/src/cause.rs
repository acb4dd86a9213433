//! Warnings as causes of errors, which have no catalogue.

use stripewise_study::warning::{Warning, os_error};

/// Returns why a sample does not count: what fio says of a job in words, others by their kind.
pub fn cause(warning: &Warning) -> String {
    let Warning::JobFailed { job, errno, text } = warning else {
        return format!("the result has the warning `{}`", warning.id());
    };
    let reason = text.clone().unwrap_or_else(|| os_error(*errno));
    let reason = match reason.as_str() {
        "" => ", whose meaning depends on the operating system that fio ran on".to_owned(),
        reason => format!(" ({reason})"),
    };
    format!("fio's job `{job}` reports error {errno}{reason}")
}
