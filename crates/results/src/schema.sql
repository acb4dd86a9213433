-- FORMAT.md says what each column means, and how the checksum of a row is counted.
-- A `document` is the JSON of one value; its version says how to read it.

CREATE TABLE run (
    id                  INTEGER PRIMARY KEY AUTOINCREMENT,
    world               TEXT    NOT NULL,
    study_name          TEXT    NOT NULL,
    question            TEXT,
    study_text          TEXT    NOT NULL,
    seed                TEXT    NOT NULL,
    options             TEXT    NOT NULL,
    tool_version        TEXT    NOT NULL,
    started_unix_ns     INTEGER NOT NULL,
    ended_unix_ns       INTEGER,
    state               TEXT    NOT NULL CHECK (state IN ('running', 'done', 'interrupted', 'failed')),
    owner_pid           INTEGER,
    owner_pid_namespace TEXT,
    owner_boot_id       TEXT,
    owner_started_ticks INTEGER,
    row_checksum        INTEGER NOT NULL,
    CHECK ((state = 'running') = (owner_pid IS NOT NULL)),
    CHECK ((state = 'running') = (ended_unix_ns IS NULL))
) STRICT;

CREATE TABLE facts (
    id                INTEGER PRIMARY KEY,
    run               INTEGER NOT NULL REFERENCES run (id),
    taken_unix_ns     INTEGER NOT NULL,
    document_version  INTEGER NOT NULL,
    row_checksum      INTEGER NOT NULL,
    document          TEXT    NOT NULL
) STRICT;
CREATE INDEX facts_run ON facts (run);

CREATE TABLE cell (
    run               INTEGER NOT NULL REFERENCES run (id),
    cell_index        INTEGER NOT NULL CHECK (cell_index >= 0),
    document_version  INTEGER NOT NULL,
    row_checksum      INTEGER NOT NULL,
    document          TEXT    NOT NULL,
    PRIMARY KEY (run, cell_index)
) STRICT;

CREATE TABLE sample (
    run               INTEGER NOT NULL,
    number            INTEGER NOT NULL CHECK (number >= 0),
    cell_index        INTEGER NOT NULL,
    block             INTEGER NOT NULL,
    role              TEXT    NOT NULL CHECK (role IN ('warm_up', 'counted')),
    seed              TEXT,
    valid             INTEGER NOT NULL CHECK (valid IN (0, 1)),
    document_version  INTEGER NOT NULL,
    row_checksum      INTEGER NOT NULL,
    document          TEXT    NOT NULL,
    PRIMARY KEY (run, number),
    FOREIGN KEY (run, cell_index) REFERENCES cell (run, cell_index)
) STRICT;
-- Lists count samples without reading their documents.
CREATE INDEX sample_count ON sample (run, role, valid);

CREATE TABLE warning (
    id                INTEGER PRIMARY KEY,
    run               INTEGER NOT NULL REFERENCES run (id),
    cell_index        INTEGER,
    document_version  INTEGER NOT NULL,
    row_checksum      INTEGER NOT NULL,
    document          TEXT    NOT NULL,
    FOREIGN KEY (run, cell_index) REFERENCES cell (run, cell_index)
) STRICT;
CREATE INDEX warning_run ON warning (run);

CREATE TABLE change (
    id                INTEGER PRIMARY KEY,
    run               INTEGER NOT NULL REFERENCES run (id),
    announced_unix_ns INTEGER NOT NULL,
    undone_unix_ns    INTEGER,
    document_version  INTEGER NOT NULL,
    row_checksum      INTEGER NOT NULL,
    document          TEXT    NOT NULL
) STRICT;
CREATE INDEX change_outstanding ON change (run) WHERE undone_unix_ns IS NULL;

-- Runs can be named, tagged and deleted.
CREATE TABLE label (
    id           INTEGER PRIMARY KEY,
    run          INTEGER NOT NULL REFERENCES run (id),
    kind         TEXT    NOT NULL CHECK (kind IN ('name', 'tag', 'deleted')),
    text         TEXT    NOT NULL,
    row_checksum INTEGER NOT NULL
) STRICT;
CREATE INDEX label_run ON label (run);
CREATE INDEX label_deleted ON label (run) WHERE kind = 'deleted';

-- For people: the numbers of each sample beside what was measured. Stripewise does not read it.
CREATE VIEW sample_overview AS
SELECT
    run,
    number,
    cell_index,
    stack,
    workload,
    pattern,
    block_size_bytes,
    jobs,
    depth,
    block,
    role,
    valid,
    elapsed_ns,
    read_ios,
    read_bytes,
    read_ios * 1e9 / nullif(elapsed_ns, 0) AS read_iops,
    read_bytes * 1e9 / nullif(elapsed_ns, 0) AS read_bytes_per_s,
    read_latency_ns_mean,
    write_ios,
    write_bytes,
    write_ios * 1e9 / nullif(elapsed_ns, 0) AS write_iops,
    write_bytes * 1e9 / nullif(elapsed_ns, 0) AS write_bytes_per_s,
    write_latency_ns_mean
FROM (
    SELECT
        sample.run AS run,
        sample.number AS number,
        sample.cell_index AS cell_index,
        sample.block AS block,
        sample.role AS role,
        sample.valid AS valid,
        json_extract(cell.document, '$.stack.name') AS stack,
        json_extract(cell.document, '$.workload.name') AS workload,
        json_extract(cell.document, '$.workload.pattern') AS pattern,
        json_extract(cell.document, '$.workload.block_size_bytes') AS block_size_bytes,
        json_extract(cell.document, '$.workload.jobs') AS jobs,
        json_extract(cell.document, '$.workload.depth') AS depth,
        json_extract(sample.document, '$.elapsed_ns') AS elapsed_ns,
        json_extract(sample.document, '$.read.ios') AS read_ios,
        json_extract(sample.document, '$.read.bytes') AS read_bytes,
        json_extract(sample.document, '$.read.latency.mean_ns') AS read_latency_ns_mean,
        json_extract(sample.document, '$.write.ios') AS write_ios,
        json_extract(sample.document, '$.write.bytes') AS write_bytes,
        json_extract(sample.document, '$.write.latency.mean_ns') AS write_latency_ns_mean
    FROM sample
    JOIN cell ON cell.run = sample.run AND cell.cell_index = sample.cell_index
);
