-- Devices that are signed in, refresh tokens of apps, and what an API token may do.

SET LOCAL lock_timeout = '5s';
SET LOCAL statement_timeout = '60s';

ALTER TABLE users ADD COLUMN IF NOT EXISTS password_changed_at timestamptz;
COMMENT ON COLUMN users.password_changed_at IS
'Whatever was signed in before then has ended. Null: never changed since the account was made.';

-- A session is one device that is signed in: a browser by its cookie, or an app, whose access
-- tokens name the session and whose refresh tokens are its family.
ALTER TABLE sessions
ADD COLUMN uid uuid,
ADD COLUMN kind text NOT NULL DEFAULT 'browser',
ADD COLUMN agent text NOT NULL DEFAULT '',
ADD COLUMN network text NOT NULL DEFAULT '',
ADD COLUMN device_id text,
ADD COLUMN last_used_at timestamptz;

-- The release before says nothing of it.
ALTER TABLE sessions ALTER COLUMN uid SET DEFAULT gen_random_uuid();
UPDATE sessions SET uid = gen_random_uuid() WHERE uid IS NULL;

ALTER TABLE sessions ADD CONSTRAINT sessions_uid_there CHECK (uid IS NOT NULL) NOT VALID;
ALTER TABLE sessions ADD CONSTRAINT sessions_kind_known CHECK (
    kind IN ('browser', 'app')
) NOT VALID;
ALTER TABLE sessions ADD CONSTRAINT sessions_agent_length CHECK (length(agent) <= 200) NOT VALID;
ALTER TABLE sessions ADD CONSTRAINT sessions_network_length CHECK (
    length(network) <= 60
) NOT VALID;
ALTER TABLE sessions ADD CONSTRAINT sessions_device_id_length CHECK (
    length(device_id) BETWEEN 1 AND 120
) NOT VALID;

COMMENT ON COLUMN sessions.uid IS 'Names the device to its owner, and in its access tokens.';
COMMENT ON COLUMN sessions.id_hash IS
'SHA-256 of the cookie: who reads this table cannot sign in with it. Of an app, random bytes.';
COMMENT ON COLUMN sessions.agent IS 'What the device calls itself, shown to its owner.';
COMMENT ON COLUMN sessions.network IS 'Roughly where it signed in from, never a whole address.';
COMMENT ON COLUMN sessions.last_used_at IS 'To within some minutes.';

CREATE TABLE refresh_tokens (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    user_id bigint NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    family_id uuid NOT NULL,
    token_hash bytea NOT NULL,
    device_id text,
    user_agent_hash bytea,
    ip_hash bytea,
    issued_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz NOT NULL,
    last_used_at timestamptz,
    revoked_at timestamptz,
    replaced_by bigint,
    CONSTRAINT refresh_tokens_token_hash_key UNIQUE (token_hash),
    CONSTRAINT refresh_tokens_token_hash_length CHECK (length(token_hash) = 32),
    CONSTRAINT refresh_tokens_device_id_length CHECK (length(device_id) BETWEEN 1 AND 120),
    CONSTRAINT refresh_tokens_user_agent_hash_length CHECK (length(user_agent_hash) = 32),
    CONSTRAINT refresh_tokens_ip_hash_length CHECK (length(ip_hash) = 32)
) WITH (autovacuum_vacuum_scale_factor = 0.02);

COMMENT ON COLUMN refresh_tokens.family_id IS
'The uid of its session. Without that session a token counts for nothing.';
COMMENT ON COLUMN refresh_tokens.token_hash IS 'SHA-256 of the token, which is stored nowhere.';
COMMENT ON COLUMN refresh_tokens.ip_hash IS 'Keyed, so that addresses cannot be tried out.';
COMMENT ON COLUMN refresh_tokens.last_used_at IS 'When it was exchanged for the next one.';
COMMENT ON COLUMN refresh_tokens.replaced_by IS 'The next of its family; null when revoked otherwise.';

CREATE INDEX refresh_tokens_of_account ON refresh_tokens (user_id, revoked_at, expires_at);
COMMENT ON INDEX refresh_tokens_of_account IS 'The active tokens of an account.';
CREATE INDEX refresh_tokens_family ON refresh_tokens (family_id) WHERE revoked_at IS NULL;
COMMENT ON INDEX refresh_tokens_family IS 'Revoking a device.';
CREATE INDEX refresh_tokens_expiry ON refresh_tokens (expires_at);
COMMENT ON INDEX refresh_tokens_expiry IS 'Purging what has run out.';
CREATE INDEX refresh_tokens_revoked ON refresh_tokens (revoked_at) WHERE revoked_at IS NOT NULL;
COMMENT ON INDEX refresh_tokens_revoked IS 'Purging what was exchanged or revoked.';

ALTER TABLE api_tokens
ADD COLUMN prefix text NOT NULL DEFAULT '',
ADD COLUMN scopes text [] NOT NULL DEFAULT '{}';
ALTER TABLE api_tokens ADD CONSTRAINT api_tokens_prefix_length CHECK (
    length(prefix) <= 20
) NOT VALID;
COMMENT ON COLUMN api_tokens.prefix IS 'Its first characters, by which its owner knows it again.';
COMMENT ON COLUMN api_tokens.scopes IS 'All that it may do, within what its account may.';
