//! The command that measures a run again.

use stripewise_report::document::Document;
use stripewise_report::shell_word;

/// Returns the command that repeats a run; nothing for one that was imported from another tool.
///
/// Where the study file is by now nobody knows; its text is in the JSON export.
pub(crate) fn command(document: &Document) -> Option<String> {
    let run = &document.run;
    let study = shell_word(&format!("{}.toml", run.study));
    let seed = run.seed;
    let target = document.facts.target.as_ref();
    match (&run.model, target) {
        (Some(model), _) => {
            let kernel = shell_word(&model.kernel);
            Some(format!(
                "stripewise run {study} --world model --kernel {kernel} --seed {seed}"
            ))
        }
        (None, Some(target)) if run.world == "metal" => {
            let target = shell_word(&target.path);
            Some(format!(
                "stripewise run {study} --target {target} --seed {seed}"
            ))
        }
        (None, _) => None,
    }
}
