-- rensai: no transaction
-- The indexes that the public lists were read from before 0009; a release that still reads them
-- gets slower and stays right.

DROP INDEX CONCURRENTLY IF EXISTS stories_updated;
DROP INDEX CONCURRENTLY IF EXISTS stories_popular;
DROP INDEX CONCURRENTLY IF EXISTS stories_newest;
DROP INDEX CONCURRENTLY IF EXISTS stories_source_updated;
DROP INDEX CONCURRENTLY IF EXISTS stories_source_popular;
DROP INDEX CONCURRENTLY IF EXISTS stories_source_newest;
DROP INDEX CONCURRENTLY IF EXISTS stories_author;
