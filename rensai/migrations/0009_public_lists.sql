-- rensai: no transaction
-- The public lists again, without what its source does not open to everybody.

CREATE INDEX CONCURRENTLY IF NOT EXISTS stories_public_updated
ON stories (updated_at DESC, id DESC)
WHERE deleted_at IS NULL AND status IN (1, 2) AND is_public;
COMMENT ON INDEX stories_public_updated IS 'Public lists, latest update first.';

CREATE INDEX CONCURRENTLY IF NOT EXISTS stories_public_popular
ON stories (popularity_score DESC, id DESC)
WHERE deleted_at IS NULL AND status IN (1, 2) AND is_public;
COMMENT ON INDEX stories_public_popular IS 'Public lists, most popular first.';

CREATE INDEX CONCURRENTLY IF NOT EXISTS stories_public_newest
ON stories ((coalesce(published_at, created_at)) DESC, id DESC)
WHERE deleted_at IS NULL AND status IN (1, 2) AND is_public;
COMMENT ON INDEX stories_public_newest IS 'Public lists, newest first.';

CREATE INDEX CONCURRENTLY IF NOT EXISTS stories_public_source_updated
ON stories (source, updated_at DESC, id DESC)
WHERE deleted_at IS NULL AND status IN (1, 2) AND is_public;
COMMENT ON INDEX stories_public_source_updated IS 'Public lists of one source, latest update first.';

CREATE INDEX CONCURRENTLY IF NOT EXISTS stories_public_source_popular
ON stories (source, popularity_score DESC, id DESC)
WHERE deleted_at IS NULL AND status IN (1, 2) AND is_public;
COMMENT ON INDEX stories_public_source_popular IS 'Public lists of one source, most popular first.';

CREATE INDEX CONCURRENTLY IF NOT EXISTS stories_public_source_newest
ON stories (source, (coalesce(published_at, created_at)) DESC, id DESC)
WHERE deleted_at IS NULL AND status IN (1, 2) AND is_public;
COMMENT ON INDEX stories_public_source_newest IS 'Public lists of one source, newest first.';

CREATE INDEX CONCURRENTLY IF NOT EXISTS stories_public_author
ON stories (author_name, updated_at DESC, id DESC)
WHERE deleted_at IS NULL AND status IN (1, 2) AND is_public AND author_name IS NOT NULL;
COMMENT ON INDEX stories_public_author IS 'Public lists of one author.';

CREATE INDEX CONCURRENTLY IF NOT EXISTS stories_translations
ON stories (translation_group) WHERE translation_group IS NOT NULL;
COMMENT ON INDEX stories_translations IS 'The stories that are translations of one another.';
