//! The sources of packages that a request names: for the kernel and its compiler, and for the tools.

use crate::apt::Apt;
use crate::cache::Cache;
use crate::error::LabError;
use crate::kernel_source::apt_of_suite;
use crate::prepare::PreparationStep;
use crate::recipe::Request;
use crate::text::on_one_line;

/// The sources of packages of one request.
pub(crate) struct Apts {
    /// The machine's own.
    pub(crate) own: Apt,
    /// Those of the kernel and its compiler, if the request names some.
    pub(crate) named: Option<Apt>,
    /// Those of the tools, if the request names some.
    pub(crate) tools: Option<Apt>,
}

impl Apts {
    /// Returns the sources that the request names; `key` identifies them. They are asked for their
    /// newest lists; the machine's own only if they fail, or if the request says so.
    ///
    /// # Errors
    /// If a suite cannot be used, or the lists cannot be downloaded.
    pub(crate) fn new(
        cache: &Cache,
        request: &Request,
        key: Option<&str>,
        report: &mut dyn FnMut(PreparationStep),
    ) -> Result<Self, LabError> {
        let states = cache.path().join("apt");
        let mut own = Apt::new(&states.join("machine"), None)?;
        if request.refresh {
            update(&mut own, report)?;
        }
        let source = &request.source;
        let mut named = match (&source.sources, &source.suite, key) {
            (Some(path), _, Some(key)) => Some(Apt::new(&states.join(&key[..16]), Some(path))?),
            (None, Some(suite), _) => Some(apt_of_suite(&own, suite, &states)?),
            _ => None,
        };
        let mut tools = match &request.tools {
            Some(suite) => Some(apt_of_suite(&own, suite, &states)?),
            None => None,
        };
        for (apt, suite) in [(&mut named, &source.suite), (&mut tools, &request.tools)] {
            if let Some(apt) = apt {
                update(apt, report).map_err(|error| of_suite(error, suite.as_deref()))?;
            }
        }
        Ok(Apts { own, named, tools })
    }

    pub(crate) fn for_kernel(&mut self) -> &mut Apt {
        self.named.as_mut().unwrap_or(&mut self.own)
    }

    pub(crate) fn for_tools(&mut self) -> &mut Apt {
        self.tools.as_mut().unwrap_or(&mut self.own)
    }
}

/// Runs `attempt` with the machine's package lists; if these are missing or too old, downloads our own
/// lists and tries again.
///
/// # Errors
/// Those of `attempt`, or if the lists cannot be downloaded.
pub(crate) fn with_lists<T>(
    apt: &mut Apt,
    report: &mut dyn FnMut(PreparationStep),
    attempt: impl Fn(&Apt, &mut dyn FnMut(PreparationStep)) -> Result<T, LabError>,
) -> Result<T, LabError> {
    match attempt(apt, report) {
        Err(
            LabError::NoKernel { .. }
            | LabError::NotWhole { .. }
            | LabError::NoCompiler { .. }
            | LabError::Failed { .. },
        ) if !apt.is_updated() => {
            update(apt, report)?;
            attempt(apt, report)
        }
        found => found,
    }
}

fn update(apt: &mut Apt, report: &mut dyn FnMut(PreparationStep)) -> Result<(), LabError> {
    report(PreparationStep::Lists);
    apt.update()
}

/// What apt prints of a suite that a mirror does not have.
const NO_SUITE: &str = "does not have a Release file";

/// Returns the error that the lists of a suite, if it is one, cannot be downloaded.
fn of_suite(error: LabError, suite: Option<&str>) -> LabError {
    match (error, suite) {
        (LabError::Failed { output, .. }, Some(suite)) => LabError::Suite {
            suite: suite.to_owned(),
            problem: match output.iter().any(|line| line.contains(NO_SUITE)) {
                true => "the mirror has no such suite".to_owned(),
                false => format!(
                    "its lists cannot be downloaded; apt-get printed: {}",
                    on_one_line(&output.join("\n"))
                ),
            },
        },
        (error, _) => error,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_suite_that_the_mirror_does_not_have_is_named() {
        let failed = |output: &str| LabError::Failed {
            attempted: "download the lists of packages".to_owned(),
            program: "apt-get".to_owned(),
            status: "exit status: 100".to_owned(),
            output: vec![output.to_owned()],
            hint: None,
        };
        let none =
            "E: The repository 'http://mirror/debian nosuch Release' does not have a Release file.";
        assert_eq!(
            of_suite(failed(none), Some("nosuch")).to_string(),
            "failed to use the suite `nosuch`: the mirror has no such suite"
        );
        let error = of_suite(failed("E: no route"), Some("sid")).to_string();
        assert!(error.ends_with("apt-get printed: E: no route"), "{error}");
        let own = of_suite(failed("E: no route"), None);
        assert!(matches!(own, LabError::Failed { .. }));
    }
}
