-- What stories are sorted by besides genres: taxonomies and their terms, age, hidden tags,
-- translations of one another. And which sources are open to everybody.

SET LOCAL lock_timeout = '5s';
SET LOCAL statement_timeout = '60s';

ALTER TABLE stories
ADD COLUMN is_public boolean NOT NULL DEFAULT true,
ADD COLUMN age_rating text,
ADD COLUMN hidden_tags text [] NOT NULL DEFAULT '{}',
ADD COLUMN translation_group uuid;

ALTER TABLE stories ADD CONSTRAINT stories_age_rating_known CHECK (
    age_rating IN ('everyone', 'teen', 'mature', 'explicit')
) NOT VALID;
ALTER TABLE stories ADD CONSTRAINT stories_hidden_tags_few CHECK (
    cardinality(hidden_tags) <= 100
) NOT VALID;

COMMENT ON COLUMN stories.is_public IS
'Whether the policy of its source lets everybody read it; written with the policy.';
COMMENT ON COLUMN stories.age_rating IS 'Null when nobody has said.';
COMMENT ON COLUMN stories.hidden_tags IS 'Found by search, never shown.';
COMMENT ON COLUMN stories.translation_group IS 'Stories that tell the same in other languages.';

-- A source without a row is public, on the word of whoever holds its key.
CREATE TABLE source_policies (
    source text PRIMARY KEY,
    is_public boolean NOT NULL,
    rights text NOT NULL DEFAULT '',
    updated_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT source_policies_source_length CHECK (length(source) BETWEEN 1 AND 40),
    CONSTRAINT source_policies_rights_length CHECK (length(rights) <= 2000)
);

COMMENT ON COLUMN source_policies.rights IS 'Whose rights showing it rests on, in plain words.';

CREATE TABLE taxonomies (
    id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    slug text NOT NULL,
    name text NOT NULL,
    is_multiple boolean NOT NULL DEFAULT true,
    is_builtin boolean NOT NULL DEFAULT false,
    created_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT taxonomies_slug_key UNIQUE (slug),
    CONSTRAINT taxonomies_slug_shape CHECK (slug ~ '^[a-z0-9-]+$' AND length(slug) <= 40),
    CONSTRAINT taxonomies_name_length CHECK (length(name) BETWEEN 1 AND 120)
);

COMMENT ON COLUMN taxonomies.is_multiple IS 'Whether a story may have several of its terms.';
COMMENT ON COLUMN taxonomies.is_builtin IS 'Fandoms and warnings, which every instance has.';

INSERT INTO taxonomies (slug, name, is_builtin) VALUES
('fandom', 'Fandom', true), ('warning', 'Warning', true);

CREATE TABLE terms (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    taxonomy_id integer NOT NULL REFERENCES taxonomies (id) ON DELETE CASCADE,
    slug text NOT NULL,
    name text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT terms_slug_key UNIQUE (taxonomy_id, slug),
    CONSTRAINT terms_slug_shape CHECK (slug ~ '^[a-z0-9-]+$' AND length(slug) <= 120),
    CONSTRAINT terms_name_length CHECK (length(name) BETWEEN 1 AND 120)
);

CREATE TABLE story_terms (
    story_id bigint NOT NULL REFERENCES stories (id) ON DELETE CASCADE,
    term_id bigint NOT NULL REFERENCES terms (id) ON DELETE CASCADE,
    PRIMARY KEY (story_id, term_id)
);
CREATE INDEX story_terms_term ON story_terms (term_id, story_id);
COMMENT ON INDEX story_terms_term IS 'The stories of one term.';
