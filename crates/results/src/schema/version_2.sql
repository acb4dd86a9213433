-- Version 2: every row has a checksum over all of its columns. FORMAT.md says how it is counted.
-- The program sets the checksums in the same transaction (see `schema/version_1_rows.rs`).

ALTER TABLE run ADD COLUMN row_checksum INTEGER NOT NULL DEFAULT 0;
ALTER TABLE facts RENAME COLUMN document_checksum TO row_checksum;
ALTER TABLE cell RENAME COLUMN document_checksum TO row_checksum;
ALTER TABLE sample RENAME COLUMN document_checksum TO row_checksum;
ALTER TABLE warning RENAME COLUMN document_checksum TO row_checksum;
ALTER TABLE change RENAME COLUMN document_checksum TO row_checksum;
