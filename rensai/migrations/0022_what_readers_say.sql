-- What an account has said of itself and of what it wants to see, and when its password changed.

SET LOCAL lock_timeout = '5s';
SET LOCAL statement_timeout = '60s';

ALTER TABLE users ADD COLUMN IF NOT EXISTS password_changed_at timestamptz;
COMMENT ON COLUMN users.password_changed_at IS
'Whatever was signed in before then has ended. Null: never changed since the account was made.';

ALTER TABLE users ADD COLUMN IF NOT EXISTS deleted_at timestamptz;
COMMENT ON COLUMN users.deleted_at IS
'The account is gone; the row stays so that threads and counts stay whole.';

ALTER TABLE users ADD COLUMN IF NOT EXISTS kept_name text;
COMMENT ON COLUMN users.kept_name IS
'MD5 of the name of a deleted account, folded: nobody else may come under that name.';

CREATE TABLE reader_settings (
    user_id bigint PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
    font_size smallint NOT NULL DEFAULT 16,
    font_family text NOT NULL DEFAULT 'default',
    line_height numeric(3, 2) NOT NULL DEFAULT 1.8,
    theme text NOT NULL DEFAULT 'light',
    page_width text NOT NULL DEFAULT 'medium',
    of_age_since timestamptz,
    show_adult boolean,
    warnings text NOT NULL DEFAULT 'ask',
    language text,
    mute_count integer NOT NULL DEFAULT 0,
    mutes_version bigint NOT NULL DEFAULT 0,
    updated_at timestamptz NOT NULL DEFAULT 'epoch',
    CONSTRAINT reader_settings_font_size CHECK (font_size BETWEEN 10 AND 40),
    CONSTRAINT reader_settings_font_family CHECK (length(font_family) BETWEEN 1 AND 40),
    CONSTRAINT reader_settings_line_height CHECK (line_height BETWEEN 1 AND 3),
    CONSTRAINT reader_settings_theme CHECK (theme ~ '^[a-z]{1,20}$'),
    CONSTRAINT reader_settings_page_width CHECK (page_width ~ '^[a-z]{1,20}$'),
    CONSTRAINT reader_settings_adult CHECK (NOT show_adult OR of_age_since IS NOT NULL),
    CONSTRAINT reader_settings_warnings CHECK (warnings IN ('ask', 'show')),
    CONSTRAINT reader_settings_language CHECK (
        language ~ '^[a-z]{2,3}(-[A-Za-z0-9]{1,8})*$' AND length(language) <= 10
    ),
    CONSTRAINT reader_settings_mute_count CHECK (mute_count >= 0)
);

COMMENT ON COLUMN reader_settings.of_age_since IS
'When somebody said that they may see what is for adults; null while nobody has.';
COMMENT ON COLUMN reader_settings.show_adult IS
'Null leaves it to the instance, false leaves adult stories out of lists.';
COMMENT ON COLUMN reader_settings.updated_at IS
'When a setting was last changed; the epoch while only mutes were.';
COMMENT ON COLUMN reader_settings.mutes_version IS
'Goes up with whatever changes which stories are left out.';

CREATE TABLE mutes (
    user_id bigint NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    kind text NOT NULL,
    folded text NOT NULL,
    value text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (user_id, kind, folded),
    CONSTRAINT mutes_kind_known CHECK (kind IN ('tag', 'genre', 'author', 'warning')),
    CONSTRAINT mutes_value_length CHECK (length(value) BETWEEN 1 AND 300),
    CONSTRAINT mutes_folded_length CHECK (length(folded) BETWEEN 1 AND 900)
);

COMMENT ON COLUMN mutes.folded IS 'The value without case: how a name is spelt matters, its case not.';

-- What the links in letters carry, each good once.
CREATE TABLE letter_marks (
    mark_hash bytea PRIMARY KEY,
    user_id bigint NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    purpose text NOT NULL,
    email text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz NOT NULL,
    CONSTRAINT letter_marks_hash_length CHECK (length(mark_hash) = 32),
    CONSTRAINT letter_marks_purpose_known CHECK (purpose IN ('reset', 'verify'))
) WITH (autovacuum_vacuum_scale_factor = 0.01);

COMMENT ON COLUMN letter_marks.mark_hash IS
'SHA-256 of what stands in the letter: who reads this table cannot use it.';
COMMENT ON COLUMN letter_marks.email IS
'Where the letter went; the mark is good for this address alone.';

CREATE INDEX letter_marks_user ON letter_marks (user_id, purpose, created_at);
COMMENT ON INDEX letter_marks_user IS 'The marks of an account, to end them together.';

CREATE INDEX letter_marks_expiry ON letter_marks (expires_at);
COMMENT ON INDEX letter_marks_expiry IS 'Clearing away what has run out.';

-- Archives of what a reader has: taken out of here, and brought here.
CREATE TABLE transfers (
    id uuid PRIMARY KEY,
    user_id bigint NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    direction text NOT NULL,
    state text NOT NULL DEFAULT 'waiting',
    archive_key text NOT NULL,
    archive_bytes bigint,
    lines_done bigint NOT NULL DEFAULT 0,
    files jsonb NOT NULL DEFAULT '{}',
    problem text,
    created_at timestamptz NOT NULL DEFAULT now(),
    ended_at timestamptz,
    expires_at timestamptz NOT NULL,
    CONSTRAINT transfers_direction_known CHECK (direction IN ('export', 'import')),
    CONSTRAINT transfers_state_known CHECK (state IN ('waiting', 'running', 'done', 'failed'))
);

COMMENT ON COLUMN transfers.archive_key IS 'Where the archive lies in the object storage.';
COMMENT ON COLUMN transfers.files IS 'For each file of the archive, how many lines went through.';

CREATE UNIQUE INDEX transfers_under_way ON transfers (user_id, direction)
WHERE state IN ('waiting', 'running');
COMMENT ON INDEX transfers_under_way IS 'One at a time for each account and direction.';

CREATE INDEX transfers_of_reader ON transfers (user_id, direction, id DESC);
COMMENT ON INDEX transfers_of_reader IS 'The archives of one reader, latest first.';

CREATE INDEX transfers_expiry ON transfers (expires_at);
COMMENT ON INDEX transfers_expiry IS 'Clearing away archives that nobody fetched in time.';

-- What was done to accounts by those who run this site.
CREATE TABLE account_actions (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    user_id bigint NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    actor_id bigint REFERENCES users (id) ON DELETE SET NULL,
    action text NOT NULL,
    detail text NOT NULL DEFAULT '',
    created_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT account_actions_action_shape CHECK (action ~ '^[a-z_]{1,40}$'),
    CONSTRAINT account_actions_detail_length CHECK (length(detail) <= 1000)
);

COMMENT ON COLUMN account_actions.actor_id IS 'Null: somebody at the command line.';

CREATE INDEX account_actions_of_user ON account_actions (user_id, id DESC);
COMMENT ON INDEX account_actions_of_user IS 'What was done to one account, latest first.';

CREATE INDEX account_actions_of_actor ON account_actions (actor_id) WHERE actor_id IS NOT NULL;
COMMENT ON INDEX account_actions_of_actor IS 'Letting go of who did it when that account goes.';
