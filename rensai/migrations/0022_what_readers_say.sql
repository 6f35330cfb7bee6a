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
    updated_at timestamptz NOT NULL DEFAULT now(),
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
    CONSTRAINT reader_settings_mute_count CHECK (mute_count BETWEEN 0 AND 500)
);

COMMENT ON COLUMN reader_settings.of_age_since IS
'When somebody said that they may see what is for adults; null while nobody has.';
COMMENT ON COLUMN reader_settings.show_adult IS
'Null leaves it to the instance, false leaves adult stories out of lists.';
COMMENT ON COLUMN reader_settings.mutes_version IS
'Goes up with whatever changes which stories are left out.';

CREATE TABLE mutes (
    user_id bigint NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    kind text NOT NULL,
    value text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (user_id, kind, value),
    CONSTRAINT mutes_kind_known CHECK (kind IN ('tag', 'genre', 'author', 'warning')),
    CONSTRAINT mutes_value_length CHECK (length(value) BETWEEN 1 AND 300)
);
