-- Version 3: runs can be named, tagged and deleted. FORMAT.md says what each row means.

CREATE TABLE label (
    id           INTEGER PRIMARY KEY,
    run          INTEGER NOT NULL REFERENCES run (id),
    kind         TEXT    NOT NULL CHECK (kind IN ('name', 'tag', 'deleted')),
    text         TEXT    NOT NULL,
    row_checksum INTEGER NOT NULL
) STRICT;
CREATE INDEX label_run ON label (run);
CREATE INDEX label_deleted ON label (run) WHERE kind = 'deleted';
