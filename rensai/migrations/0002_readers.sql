-- Accounts, their sessions and their API tokens.

SET LOCAL lock_timeout = '5s';
SET LOCAL statement_timeout = '60s';

CREATE TABLE users (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    uid uuid NOT NULL,
    username text NOT NULL,
    email text NOT NULL,
    password_hash text NOT NULL,
    display_name text NOT NULL,
    bio text NOT NULL DEFAULT '',
    avatar_storage_key text,
    banner_storage_key text,
    role text NOT NULL DEFAULT 'user',
    actor_uri text,
    inbox_uri text,
    public_key text,
    private_key_sealed bytea,
    portable_public_key text,
    portable_key_fingerprint text,
    known_actor_uris text [] NOT NULL DEFAULT '{}',
    is_active boolean NOT NULL DEFAULT true,
    is_banned boolean NOT NULL DEFAULT false,
    ban_reason text,
    email_verified boolean NOT NULL DEFAULT false,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT users_uid_key UNIQUE (uid),
    CONSTRAINT users_actor_uri_key UNIQUE (actor_uri),
    CONSTRAINT users_fingerprint_key UNIQUE (portable_key_fingerprint),
    CONSTRAINT users_username_shape CHECK (
        username ~ '^[A-Za-z0-9_]([A-Za-z0-9_.-]*[A-Za-z0-9_])?$'
        AND length(username) BETWEEN 3 AND 60
    ),
    CONSTRAINT users_email_shape CHECK (email LIKE '%_@_%' AND length(email) <= 254),
    CONSTRAINT users_display_name_length CHECK (length(display_name) BETWEEN 1 AND 100),
    CONSTRAINT users_bio_length CHECK (length(bio) <= 5000),
    CONSTRAINT users_ban_reason_length CHECK (length(ban_reason) <= 1000),
    CONSTRAINT users_role_known CHECK (role IN ('user', 'uploader', 'moderator', 'admin')),
    CONSTRAINT users_portable_public_key_shape CHECK (portable_public_key ~ '^[0-9a-f]{64}$'),
    CONSTRAINT users_fingerprint_shape CHECK (portable_key_fingerprint ~ '^[0-9a-f]{32}$')
);

COMMENT ON COLUMN users.id IS 'Joins and the novel API.';
COMMENT ON COLUMN users.uid IS 'UUIDv7 made by the application: /api/v1 and the fediverse.';
COMMENT ON COLUMN users.actor_uri IS 'Null until federation has given the account its actor.';
COMMENT ON COLUMN users.private_key_sealed IS 'Sealed; never the bare key.';
COMMENT ON COLUMN users.portable_public_key IS 'Ed25519, in hex; its twelve words are never stored.';

CREATE UNIQUE INDEX users_username_folded ON users (lower(username));
COMMENT ON INDEX users_username_folded IS
'One account per name whatever its case; sign-in and profile look-ups.';

CREATE UNIQUE INDEX users_email_folded ON users (lower(email));
COMMENT ON INDEX users_email_folded IS 'One account per address whatever its case; sign-in by e-mail.';

CREATE INDEX users_admins ON users (id) WHERE role = 'admin';
COMMENT ON INDEX users_admins IS 'Whether this instance has an admin yet.';

CREATE TABLE sessions (
    id_hash bytea PRIMARY KEY,
    user_id bigint NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    created_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz NOT NULL,
    CONSTRAINT sessions_id_hash_length CHECK (length(id_hash) = 32)
) WITH (autovacuum_vacuum_scale_factor = 0.01);

COMMENT ON COLUMN sessions.id_hash IS
'SHA-256 of the cookie: who reads this table cannot sign in with it.';

CREATE INDEX sessions_user ON sessions (user_id);
COMMENT ON INDEX sessions_user IS 'Signing an account out everywhere.';

CREATE INDEX sessions_expiry ON sessions (expires_at);
COMMENT ON INDEX sessions_expiry IS 'Clearing away what has run out.';

CREATE TABLE api_tokens (
    id uuid PRIMARY KEY,
    user_id bigint NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    name text NOT NULL,
    token_hash bytea NOT NULL,
    last_used_at timestamptz,
    expires_at timestamptz,
    created_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT api_tokens_token_hash_key UNIQUE (token_hash),
    CONSTRAINT api_tokens_token_hash_length CHECK (length(token_hash) = 32),
    CONSTRAINT api_tokens_name_length CHECK (length(name) BETWEEN 1 AND 100)
);

CREATE INDEX api_tokens_user ON api_tokens (user_id);
COMMENT ON INDEX api_tokens_user IS 'Listing the tokens of an account.';
