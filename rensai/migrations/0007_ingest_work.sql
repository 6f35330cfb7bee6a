-- What the workers of the ingest queue leave behind: items that are done, and totals.

SET LOCAL lock_timeout = '5s';
SET LOCAL statement_timeout = '60s';

-- A done job leaves the queue, which so stays as small as the work that is left. What is known of
-- it without its payload is kept here for some days, in the order in which things were done.
CREATE TABLE ingest_jobs_completed (
    id bigint PRIMARY KEY,
    job_type text NOT NULL,
    source text NOT NULL,
    request_id uuid NOT NULL,
    external_ref text NOT NULL,
    item_index integer NOT NULL,
    outcome text NOT NULL,
    attempts smallint NOT NULL,
    created_at timestamptz NOT NULL,
    completed_at timestamptz NOT NULL,
    CONSTRAINT ingest_jobs_completed_outcome_length CHECK (length(outcome) <= 20)
);

COMMENT ON COLUMN ingest_jobs_completed.id IS 'The id that it had in ingest_jobs.';
COMMENT ON COLUMN ingest_jobs_completed.outcome IS
'created, updated, unchanged, stale, deleted or restored.';

CREATE INDEX ingest_jobs_completed_request ON ingest_jobs_completed (request_id);
COMMENT ON INDEX ingest_jobs_completed_request IS 'What became of the items of one request.';

CREATE INDEX ingest_jobs_completed_age ON ingest_jobs_completed USING brin (completed_at);
COMMENT ON INDEX ingest_jobs_completed_age IS 'Clearing away what was done long ago.';

-- How items ended, summed over all workers since the beginning.
CREATE TABLE ingest_totals (
    job_type text NOT NULL,
    outcome text NOT NULL,
    code text NOT NULL DEFAULT '',
    count bigint NOT NULL,
    PRIMARY KEY (job_type, outcome, code)
);

COMMENT ON COLUMN ingest_totals.outcome IS
'As in ingest_jobs_completed, or retried, failed or dead_letter.';
