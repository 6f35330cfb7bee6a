-- What the operator says about this instance: one row.

SET LOCAL lock_timeout = '5s';
SET LOCAL statement_timeout = '60s';

CREATE TABLE instance_config (
    id smallint PRIMARY KEY DEFAULT 1,
    name text NOT NULL DEFAULT 'Rensai',
    description text NOT NULL DEFAULT '',
    terms_url text,
    contact_email text,
    default_language text NOT NULL DEFAULT 'en',
    allow_nsfw boolean NOT NULL DEFAULT false,
    require_email_verification boolean NOT NULL DEFAULT false,
    max_series_per_user integer NOT NULL DEFAULT 50,
    allowed_content_types text [] NOT NULL DEFAULT '{novel,manga,manhwa,manhua}',
    custom_css text NOT NULL DEFAULT '',
    announcement text NOT NULL DEFAULT '',
    updated_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT instance_config_one_row CHECK (id = 1),
    CONSTRAINT instance_config_name_length CHECK (length(name) BETWEEN 1 AND 100),
    CONSTRAINT instance_config_description_length CHECK (length(description) <= 5000),
    CONSTRAINT instance_config_terms_url_shape CHECK (
        terms_url ~ '^https?://' AND length(terms_url) <= 1024
    ),
    CONSTRAINT instance_config_contact_email_shape CHECK (
        contact_email LIKE '%_@_%' AND length(contact_email) <= 254
    ),
    CONSTRAINT instance_config_language_shape CHECK (
        default_language ~ '^[a-z]{2,3}(-[A-Za-z0-9]{1,8})*$' AND length(default_language) <= 10
    ),
    CONSTRAINT instance_config_max_series CHECK (max_series_per_user >= 0),
    CONSTRAINT instance_config_types_known CHECK (
        allowed_content_types <@ '{novel,manga,manhwa,manhua}'::text []
    ),
    CONSTRAINT instance_config_custom_css_length CHECK (length(custom_css) <= 65536),
    CONSTRAINT instance_config_announcement_length CHECK (length(announcement) <= 2000)
);

INSERT INTO instance_config DEFAULT VALUES;
