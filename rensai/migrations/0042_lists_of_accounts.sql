-- rensai: no transaction
-- Finding accounts, and keeping the names of those that are gone.

CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS users_name_kept
ON users (coalesce(kept_name, md5(lower(username))));
COMMENT ON INDEX users_name_kept IS
'Nobody registers under the name of a deleted account; an insert meets it like a taken name.';

CREATE INDEX CONCURRENTLY IF NOT EXISTS users_username_prefix
ON users ((lower(username) COLLATE "C"));
COMMENT ON INDEX users_username_prefix IS 'Accounts whose name begins with something, by name.';

CREATE INDEX CONCURRENTLY IF NOT EXISTS users_email_prefix
ON users ((lower(email) COLLATE "C"));
COMMENT ON INDEX users_email_prefix IS 'Accounts whose address begins with something, by address.';

CREATE INDEX CONCURRENTLY IF NOT EXISTS users_by_role ON users (role, id DESC);
COMMENT ON INDEX users_by_role IS 'Accounts of one role, newest first.';

CREATE INDEX CONCURRENTLY IF NOT EXISTS users_banned ON users (id DESC) WHERE is_banned;
COMMENT ON INDEX users_banned IS 'Banned accounts, newest first.';
