-- Three roles for a store, each with the least rights for its work. Members of a role have its rights:
--     GRANT stripewise_writer TO ann;
-- Run it as the role that made the tables, or as a superuser; again after an update of the tables.
--
--   stripewise_reader   reads
--   stripewise_writer   reads, begins runs, adds to them, ends them, names, tags and acknowledges;
--                       cannot change or delete a sample, a cell, a fact or a run
--   stripewise_owner    owns the tables: also deletes runs, drops months, migrates

BEGIN;
DO $body$
DECLARE
    role text;
    thing regclass;
BEGIN
    FOREACH role IN ARRAY ARRAY['stripewise_reader', 'stripewise_writer', 'stripewise_owner'] LOOP
        IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = role) THEN
            EXECUTE format('CREATE ROLE %I NOLOGIN', role);
        END IF;
    END LOOP;
    -- Tables and their partitions; sequences and indexes follow their tables.
    FOR thing IN SELECT oid FROM pg_class
        WHERE relnamespace = 'stripewise'::regnamespace AND relkind IN ('r', 'p') LOOP
        EXECUTE format('ALTER TABLE %s OWNER TO stripewise_owner', thing);
    END LOOP;
END
$body$;
ALTER FUNCTION stripewise.make_month(bigint) OWNER TO stripewise_owner;
ALTER SCHEMA stripewise OWNER TO stripewise_owner;

REVOKE ALL ON SCHEMA stripewise FROM PUBLIC;
REVOKE ALL ON ALL TABLES IN SCHEMA stripewise FROM PUBLIC, stripewise_reader, stripewise_writer;
REVOKE ALL ON ALL SEQUENCES IN SCHEMA stripewise FROM PUBLIC, stripewise_reader, stripewise_writer;

GRANT USAGE ON SCHEMA stripewise TO stripewise_reader, stripewise_writer;
GRANT SELECT ON stripewise.store_version, stripewise.run, stripewise.facts, stripewise.cell,
    stripewise.sample, stripewise.warning, stripewise.change, stripewise.label,
    stripewise.acknowledgement, stripewise.lease, stripewise.copied
    TO stripewise_reader, stripewise_writer;

GRANT INSERT ON stripewise.run, stripewise.facts, stripewise.cell, stripewise.sample,
    stripewise.warning, stripewise.change, stripewise.label, stripewise.acknowledgement,
    stripewise.lease, stripewise.copied TO stripewise_writer;
GRANT USAGE ON ALL SEQUENCES IN SCHEMA stripewise TO stripewise_writer;
GRANT UPDATE (state, ended_unix_ns, owner_pid, owner_pid_namespace, owner_boot_id,
    owner_started_ticks, study_name, options, row_checksum) ON stripewise.run TO stripewise_writer;
GRANT UPDATE (undone_unix_ns, row_checksum) ON stripewise.change TO stripewise_writer;
GRANT UPDATE ON stripewise.lease, stripewise.copied TO stripewise_writer;
GRANT DELETE ON stripewise.label, stripewise.acknowledgement, stripewise.lease TO stripewise_writer;
GRANT EXECUTE ON FUNCTION stripewise.make_month(bigint) TO stripewise_writer;
COMMIT;
