-- Bulk ingest: the keys of crawlers, what they have sent, the queue of what is still to be
-- written, and the log of all of it.

SET LOCAL lock_timeout = '5s';
SET LOCAL statement_timeout = '60s';

CREATE TABLE api_keys (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    key_name text NOT NULL,
    key_id text NOT NULL,
    secret_sealed bytea NOT NULL,
    previous_secret_sealed bytea,
    previous_expires_at timestamptz,
    permissions text [] NOT NULL,
    sources text [] NOT NULL DEFAULT '{}',
    networks cidr [] NOT NULL DEFAULT '{}',
    requests_per_minute integer NOT NULL,
    bytes_per_minute bigint NOT NULL,
    is_active boolean NOT NULL DEFAULT true,
    last_used_at timestamptz,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT api_keys_key_id_key UNIQUE (key_id),
    CONSTRAINT api_keys_key_id_shape CHECK (key_id ~ '^[A-Za-z0-9_-]{1,64}$'),
    CONSTRAINT api_keys_name_length CHECK (length(key_name) BETWEEN 1 AND 120),
    CONSTRAINT api_keys_permissions_known CHECK (
        cardinality(permissions) > 0
        AND permissions <@ '{ingest:stories,ingest:chapters,ingest:stats}'::text []
    ),
    CONSTRAINT api_keys_sources_few CHECK (cardinality(sources) <= 100),
    CONSTRAINT api_keys_networks_few CHECK (cardinality(networks) <= 100),
    CONSTRAINT api_keys_quotas_not_negative CHECK (
        least(requests_per_minute, bytes_per_minute) >= 0
    ),
    CONSTRAINT api_keys_overlap_ends CHECK (
        (previous_secret_sealed IS NULL) = (previous_expires_at IS NULL)
    )
);

COMMENT ON COLUMN api_keys.secret_sealed IS
'Sealed under a key that is not in the database: a signature needs the secret itself.';
COMMENT ON COLUMN api_keys.previous_secret_sealed IS
'The secret before the last rotation; it still signs until previous_expires_at.';
COMMENT ON COLUMN api_keys.sources IS 'What it may write to; empty for every source.';
COMMENT ON COLUMN api_keys.networks IS 'Where it may be used from; empty for everywhere.';
COMMENT ON COLUMN api_keys.requests_per_minute IS '0 for as many as it likes.';
COMMENT ON COLUMN api_keys.bytes_per_minute IS '0 for as many as it likes; counted unpacked.';
COMMENT ON COLUMN api_keys.last_used_at IS 'Written once a minute at most.';

-- Failures are counted for each key and address, so that who knows a key's id can lock out
-- nobody but himself.
CREATE TABLE api_key_failures (
    key_id text NOT NULL REFERENCES api_keys (key_id) ON DELETE CASCADE,
    network inet NOT NULL,
    failures integer NOT NULL,
    since timestamptz NOT NULL,
    locked_until timestamptz,
    PRIMARY KEY (key_id, network)
);
COMMENT ON COLUMN api_key_failures.network IS 'An IPv4 address, or the /64 of an IPv6 address.';

CREATE INDEX api_key_failures_since ON api_key_failures (since);
COMMENT ON INDEX api_key_failures_since IS 'Forgetting failures of long ago.';

-- A minute of use, for the quotas when there is no Redis. A crash of the server may forget it.
CREATE UNLOGGED TABLE api_key_usage (
    key_id text NOT NULL,
    part bigint NOT NULL,
    requests integer NOT NULL,
    bytes bigint NOT NULL,
    last_at timestamptz NOT NULL,
    PRIMARY KEY (key_id, part)
) WITH (autovacuum_vacuum_scale_factor = 0.01);
COMMENT ON COLUMN api_key_usage.part IS 'The hundredth of a minute in which it was used.';

CREATE TABLE nonces (
    nonce_hash bytea PRIMARY KEY,
    key_id text NOT NULL,
    expires_at timestamptz NOT NULL,
    CONSTRAINT nonces_hash_length CHECK (length(nonce_hash) = 32)
) WITH (autovacuum_vacuum_scale_factor = 0.01);

COMMENT ON COLUMN nonces.nonce_hash IS 'SHA-256 of the key id and the nonce.';

CREATE INDEX nonces_expiry ON nonces (expires_at);
COMMENT ON INDEX nonces_expiry IS 'Clearing away what has run out.';

CREATE TABLE ingest_requests (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    request_id uuid NOT NULL,
    key_id text NOT NULL,
    source text NOT NULL,
    job_type text NOT NULL,
    idempotency_key text NOT NULL,
    payload_hash bytea NOT NULL,
    response_status smallint NOT NULL,
    response bytea NOT NULL,
    replay_until timestamptz,
    status smallint NOT NULL DEFAULT 0,
    total_items integer NOT NULL DEFAULT 0,
    accepted_items integer NOT NULL DEFAULT 0,
    rejected_items integer NOT NULL DEFAULT 0,
    processed_items integer NOT NULL DEFAULT 0,
    failed_items integer NOT NULL DEFAULT 0,
    last_error text,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT ingest_requests_request_id_key UNIQUE (request_id),
    CONSTRAINT ingest_requests_source_length CHECK (length(source) BETWEEN 1 AND 40),
    CONSTRAINT ingest_requests_type_known CHECK (
        job_type IN ('stories_bulk', 'chapters_bulk', 'rebuild_stats')
    ),
    CONSTRAINT ingest_requests_idempotency_key_length CHECK (
        length(idempotency_key) BETWEEN 1 AND 120
    ),
    CONSTRAINT ingest_requests_hash_length CHECK (length(payload_hash) = 32),
    CONSTRAINT ingest_requests_status_known CHECK (status BETWEEN 0 AND 4),
    CONSTRAINT ingest_requests_items_add_up CHECK (
        total_items = accepted_items + rejected_items
        AND processed_items + failed_items <= accepted_items
        AND least(accepted_items, rejected_items, processed_items, failed_items) >= 0
    )
);

COMMENT ON COLUMN ingest_requests.source IS '* when the request is about every source.';
COMMENT ON COLUMN ingest_requests.payload_hash IS 'SHA-256 of the unpacked body.';
COMMENT ON COLUMN ingest_requests.response IS 'The answer, word for word, for a replay.';
COMMENT ON COLUMN ingest_requests.replay_until IS
'Until then its idempotency key answers with this row; null once the key is free again.';
COMMENT ON COLUMN ingest_requests.status IS
'0 queued, 1 processing, 2 completed, 3 partially failed, 4 failed.';

CREATE UNIQUE INDEX ingest_requests_idempotency
ON ingest_requests (source, job_type, idempotency_key)
WHERE replay_until IS NOT NULL;
COMMENT ON INDEX ingest_requests_idempotency IS 'One request per idempotency key while it counts.';

CREATE INDEX ingest_requests_replay ON ingest_requests (replay_until)
WHERE replay_until IS NOT NULL;
COMMENT ON INDEX ingest_requests_replay IS 'Setting idempotency keys free.';

CREATE INDEX ingest_requests_ended ON ingest_requests (updated_at)
WHERE status IN (2, 3, 4);
COMMENT ON INDEX ingest_requests_ended IS 'Clearing away what has ended long ago.';

-- Bodies that are too large for the queue. They come packed, so the database need not try.
CREATE TABLE ingest_payload_blobs (
    id bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
    payload_blob bytea STORAGE EXTERNAL NOT NULL,
    payload_html bytea STORAGE EXTERNAL,
    payload_hash bytea NOT NULL,
    payload_size_bytes integer NOT NULL,
    payload_encoding text NOT NULL DEFAULT 'none',
    created_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz NOT NULL,
    CONSTRAINT ingest_payload_blobs_hash_length CHECK (length(payload_hash) = 32),
    CONSTRAINT ingest_payload_blobs_encoding_known CHECK (
        payload_encoding IN ('none', 'gzip', 'zstd')
    )
);

COMMENT ON COLUMN ingest_payload_blobs.payload_blob IS
'What the job row has no room for: the body of a chapter, or the metadata of a story.';
COMMENT ON COLUMN ingest_payload_blobs.payload_html IS
'The cleaned HTML of a chapter, packed as payload_encoding says.';

CREATE INDEX ingest_payload_blobs_expiry ON ingest_payload_blobs (expires_at);
COMMENT ON INDEX ingest_payload_blobs_expiry IS 'Clearing away what has run out.';

-- Written at every step of every item, so it has few indexes, and most of those hold only the
-- rows that are on their way. The request names its source and its job type, and its id is
-- unique: with it, no item of a request is queued twice.
CREATE TABLE ingest_jobs (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    job_type text NOT NULL,
    source text NOT NULL,
    request_id uuid NOT NULL,
    idempotency_key text NOT NULL,
    external_ref text NOT NULL,
    item_index integer NOT NULL,
    payload_inline bytea,
    payload_blob_id bigint,
    payload_hash bytea NOT NULL,
    payload_size_bytes integer NOT NULL DEFAULT 0,
    payload_encoding text NOT NULL DEFAULT 'none',
    payload_storage text NOT NULL DEFAULT 'inline',
    body bytea STORAGE EXTERNAL,
    body_html bytea STORAGE EXTERNAL,
    body_hash bytea,
    body_size integer NOT NULL DEFAULT 0,
    word_count integer NOT NULL DEFAULT 0,
    status smallint NOT NULL DEFAULT 0,
    attempts smallint NOT NULL DEFAULT 0,
    max_attempts smallint NOT NULL DEFAULT 5,
    next_run_at timestamptz NOT NULL,
    locked_at timestamptz,
    locked_by text,
    error_code text,
    last_error text,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT ingest_jobs_once UNIQUE (request_id, external_ref),
    CONSTRAINT ingest_jobs_type_known CHECK (job_type IN ('stories_bulk', 'chapters_bulk')),
    CONSTRAINT ingest_jobs_storage_known CHECK (payload_storage IN ('inline', 'blob')),
    CONSTRAINT ingest_jobs_external_ref_length CHECK (length(external_ref) BETWEEN 1 AND 191),
    CONSTRAINT ingest_jobs_locked_by_length CHECK (length(locked_by) <= 64),
    CONSTRAINT ingest_jobs_status_known CHECK (status BETWEEN 0 AND 4)
-- Whole libraries pass through, and each job leaves its body behind: were autovacuum to pause here
-- as it does elsewhere, the table would grow faster than its space comes to be used again.
) WITH (
    autovacuum_vacuum_scale_factor = 0.01,
    autovacuum_analyze_scale_factor = 0.02,
    autovacuum_vacuum_cost_delay = 0,
    toast.autovacuum_vacuum_scale_factor = 0.01,
    toast.autovacuum_vacuum_cost_delay = 0
);

COMMENT ON COLUMN ingest_jobs.item_index IS 'The place of the item in its request.';
COMMENT ON COLUMN ingest_jobs.payload_inline IS
'The metadata as JSON; null when it is in the blob, and once the job is done.';
COMMENT ON COLUMN ingest_jobs.payload_blob_id IS
'The blob with the body, or with the metadata when payload_inline is null; null when there is none.';
COMMENT ON COLUMN ingest_jobs.payload_encoding IS 'How body and body_html are packed.';
COMMENT ON COLUMN ingest_jobs.body IS 'The final content_raw of a chapter; null once it is done.';
COMMENT ON COLUMN ingest_jobs.body_html IS 'The final content_html of a chapter, if it has one.';
COMMENT ON COLUMN ingest_jobs.status IS
'0 queued, 1 processing, 2 completed, 3 failed, 4 dead letter.';
COMMENT ON COLUMN ingest_jobs.locked_at IS 'The last sign of life of the worker that has it.';

CREATE INDEX ingest_jobs_due ON ingest_jobs (job_type, next_run_at, id) WHERE status = 0;
COMMENT ON INDEX ingest_jobs_due IS 'Claiming what is due, by each kind of worker.';

CREATE INDEX ingest_jobs_locked ON ingest_jobs (locked_at) WHERE status = 1;
COMMENT ON INDEX ingest_jobs_locked IS 'Taking back what a dead worker holds.';

-- Jobs whose worker ended more than once while it had them: each is tried by itself.
CREATE INDEX ingest_jobs_suspect ON ingest_jobs (job_type, next_run_at, id)
WHERE status = 0 AND error_code = 'worker_lost' AND attempts >= 2;
COMMENT ON INDEX ingest_jobs_suspect IS 'Claiming what may have ended its workers, one by one.';

CREATE INDEX ingest_jobs_failed ON ingest_jobs (job_type, updated_at) WHERE status IN (3, 4);
COMMENT ON INDEX ingest_jobs_failed IS 'Dead letters: listing, replaying and clearing them away.';

CREATE TABLE sync_logs (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    event_type text NOT NULL,
    source text,
    reference_id text,
    level text NOT NULL,
    message text NOT NULL,
    context jsonb,
    created_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz NOT NULL,
    CONSTRAINT sync_logs_event_type_length CHECK (length(event_type) BETWEEN 1 AND 40),
    CONSTRAINT sync_logs_source_length CHECK (length(source) <= 40),
    CONSTRAINT sync_logs_reference_length CHECK (length(reference_id) <= 191),
    CONSTRAINT sync_logs_level_known CHECK (level IN ('debug', 'info', 'warning', 'error'))
);

COMMENT ON TABLE sync_logs IS 'Rows are added and run out; none is changed.';

CREATE INDEX sync_logs_event ON sync_logs (event_type, created_at);
COMMENT ON INDEX sync_logs_event IS 'The log of one kind of event.';

CREATE INDEX sync_logs_level ON sync_logs (level, created_at);
COMMENT ON INDEX sync_logs_level IS 'Warnings and errors of a time.';

CREATE INDEX sync_logs_reference ON sync_logs (reference_id) WHERE reference_id IS NOT NULL;
COMMENT ON INDEX sync_logs_reference IS 'All that happened to one key or request.';

CREATE INDEX sync_logs_expiry ON sync_logs (expires_at);
COMMENT ON INDEX sync_logs_expiry IS 'Clearing away what has run out.';
