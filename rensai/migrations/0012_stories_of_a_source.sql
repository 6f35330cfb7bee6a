-- rensai: no transaction
-- All stories of one source in bounded steps, however large it is: when its policy changes, and
-- for whoever keeps a copy of what it has.

CREATE INDEX CONCURRENTLY IF NOT EXISTS stories_source_ids ON stories (source, id);
COMMENT ON INDEX stories_source_ids IS 'The stories of one source, step by step.';
