-- rensai: no transaction
-- The lists of one author in the other two orders: "unknown" is an author of very many stories.

CREATE INDEX CONCURRENTLY IF NOT EXISTS stories_public_author_popular
ON stories (author_name, popularity_score DESC, id DESC)
WHERE deleted_at IS NULL AND status IN (1, 2) AND is_public AND author_name IS NOT NULL;
COMMENT ON INDEX stories_public_author_popular IS 'Public lists of one author, most popular first.';

CREATE INDEX CONCURRENTLY IF NOT EXISTS stories_public_author_newest
ON stories (author_name, (coalesce(published_at, created_at)) DESC, id DESC)
WHERE deleted_at IS NULL AND status IN (1, 2) AND is_public AND author_name IS NOT NULL;
COMMENT ON INDEX stories_public_author_newest IS 'Public lists of one author, newest first.';
