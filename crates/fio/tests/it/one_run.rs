//! Imports of files with one run.

use stripewise_fio::{Import, Log, ParseError};

/// Imports the only run of a file.
pub fn import(bytes: &[u8]) -> Result<Import, ParseError> {
    import_with_logs(bytes, &mut Vec::new())
}

/// Imports the only run of a file with its logs.
pub fn import_with_logs(bytes: &[u8], logs: &mut Vec<Log>) -> Result<Import, ParseError> {
    let mut runs = stripewise_fio::import_with_logs(bytes, logs)?;
    assert_eq!(runs.len(), 1);
    Ok(runs.remove(0))
}
