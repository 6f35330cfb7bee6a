-- Views and reads are added up in memory and written from time to time. Each writing has an id
-- that is stored with it, so that one whose commit nobody heard of can be tried again.

SET LOCAL lock_timeout = '5s';
SET LOCAL statement_timeout = '60s';

CREATE TABLE view_flushes (
    id uuid PRIMARY KEY,
    flushed_at timestamptz NOT NULL
);
COMMENT ON TABLE view_flushes IS 'What has been added to view_count and read_count, by its id.';

CREATE INDEX view_flushes_flushed ON view_flushes (flushed_at);
COMMENT ON INDEX view_flushes_flushed IS 'Forgetting what nobody will try again.';

-- Views change without anything else of a story, so the cards of search no longer hold them.
ALTER TABLE search_a.search_index ALTER COLUMN view_count SET DEFAULT 0;
ALTER TABLE search_b.search_index ALTER COLUMN view_count SET DEFAULT 0;
