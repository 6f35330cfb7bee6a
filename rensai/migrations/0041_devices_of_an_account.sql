-- rensai: no transaction
-- Lists of devices and tokens, and finding the device that an access token names.

CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS sessions_uid ON sessions (uid);
COMMENT ON INDEX sessions_uid IS 'The device that an access token names, and ending one device.';

CREATE INDEX CONCURRENTLY IF NOT EXISTS sessions_of_account
ON sessions (user_id, created_at DESC, uid DESC);
COMMENT ON INDEX sessions_of_account IS 'The devices of an account, newest first.';

CREATE INDEX CONCURRENTLY IF NOT EXISTS api_tokens_of_account ON api_tokens (user_id, id DESC);
COMMENT ON INDEX api_tokens_of_account IS 'The tokens of an account, newest first.';
