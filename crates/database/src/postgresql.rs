//! How PostgreSQL is called: small, without network, background clean-up or configuration.

use std::path::Path;

use stripewise_process::{Call, CallError};

use crate::database::as_user;
use crate::kind::{INITDB, POSTGRES, PSQL, path_of};
use crate::settings::{DATA_CHECKSUMS, Settings};

/// The line of the log after which it answers.
pub(crate) const IS_READY: &str = "database system is ready to accept connections";

/// Makes the table. Without the package of `amcheck`, [`CHECK`] does nothing. Payloads are never
/// compressed.
pub(crate) const TABLE: &str = "\
CREATE TABLE records (writer bigint NOT NULL, sequence bigint NOT NULL, place bigint NOT NULL, \
payload text NOT NULL, checksum bigint NOT NULL, PRIMARY KEY (writer, sequence));
ALTER TABLE records ALTER COLUMN payload SET STORAGE EXTERNAL;
CREATE INDEX ON records (place);
DO $$ BEGIN CREATE EXTENSION amcheck; EXCEPTION WHEN OTHERS THEN NULL; END $$;
CHECKPOINT;
";

/// Reads every record from the table itself; a line break in a damaged payload is escaped.
pub(crate) const READ: &str =
    "COPY (SELECT writer, sequence, place, payload, checksum FROM records) TO STDOUT;\n";

/// Checks every table, and compares every index with its table. Prints problems only; the check of
/// an index ends at the first one with an error.
pub(crate) const CHECK: &str = "\
SELECT count(*) > 0 AS can_check FROM pg_extension WHERE extname = 'amcheck' \\gset
\\if :can_check
SELECT c.relname, v.blkno, v.offnum, v.msg FROM pg_class c JOIN pg_am a ON a.oid = c.relam, \
LATERAL verify_heapam(c.oid) v WHERE a.amname = 'heap' AND c.relkind IN ('r', 't', 'm');
DO $$ BEGIN PERFORM bt_index_check(c.oid, true) FROM pg_class c JOIN pg_am a ON a.oid = c.relam \
WHERE a.amname = 'btree' AND c.relkind = 'i' AND c.relpersistence = 'p'; END $$;
\\endif
";

const USER: &str = "stripewise";

/// What makes it small, and ends it when one of its processes crashes. Settings of a study come
/// after these, and the last one counts.
const SMALL: [&str; 11] = [
    "listen_addresses=",
    "max_connections=100",
    "shared_buffers=16MB",
    "max_wal_senders=0",
    "max_worker_processes=0",
    "max_parallel_workers=0",
    "autovacuum=off",
    "logging_collector=off",
    "jit=off",
    "restart_after_crash=off",
    "lc_messages=C",
];

/// Makes the files of an empty data directory. The encoding accepts any bytes, so that a damaged
/// payload can be read.
pub(crate) fn create(settings: &Settings, data: &Path, run: &Path) -> Result<Call, CallError> {
    let checksums = settings.get(DATA_CHECKSUMS) == Some("on");
    Ok(as_user(INITDB, run)?
        .arg("-D")
        .arg(data)
        .args(["-U", USER, "--auth=trust", "--no-locale", "-E", "SQL_ASCII"])
        .args(["--no-sync", "--no-instructions"])
        .args(checksums.then_some("--data-checksums")))
}

/// Starts it on an existing data directory.
pub(crate) fn serve(settings: &Settings, data: &Path, run: &Path) -> Result<Call, CallError> {
    let settings = settings.iter().filter(|(name, _)| *name != DATA_CHECKSUMS);
    let settings = settings.map(|(name, value)| format!("{name}={value}"));
    let small = SMALL.into_iter().map(str::to_owned);
    let options = small
        .chain(settings)
        .flat_map(|option| ["-c".to_owned(), option]);
    Ok(as_user(POSTGRES, run)?
        .arg("-D")
        .arg(data)
        .arg("-k")
        .arg(run)
        .args(options))
}

/// Returns a client, which ends at the first error.
pub(crate) fn client(run: &Path) -> Result<Call, CallError> {
    Ok(Call::new(&path_of(PSQL)?)
        .args(["-XAtqw", "-v", "ON_ERROR_STOP=1", "-F", "\t"])
        .args(["-U", USER, "-d", "postgres", "-h"])
        .arg(run)
        // Options of the user must not change how the server commits.
        .envs([("PGOPTIONS", ""), ("PGCLIENTENCODING", "SQL_ASCII")]))
}
