-- What readers think: ratings with their reviews, reading lists, and searches that they keep.

SET LOCAL lock_timeout = '5s';
SET LOCAL statement_timeout = '60s';

-- Counting a story's ratings reads one index and no row, as long as vacuum has been there.
CREATE TABLE ratings (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    uid uuid NOT NULL,
    user_id bigint NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    story_id bigint NOT NULL REFERENCES stories (id) ON DELETE CASCADE,
    score smallint NOT NULL,
    review_text text,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    CONSTRAINT ratings_uid_key UNIQUE (uid),
    CONSTRAINT ratings_once UNIQUE (user_id, story_id),
    CONSTRAINT ratings_score_range CHECK (score BETWEEN 1 AND 10),
    CONSTRAINT ratings_review_text_length CHECK (length(review_text) BETWEEN 1 AND 2000)
) WITH (
    autovacuum_vacuum_scale_factor = 0.02,
    autovacuum_vacuum_insert_scale_factor = 0.02,
    autovacuum_analyze_scale_factor = 0.05
);

COMMENT ON COLUMN ratings.id IS 'Ties in lists, and the novel API.';
COMMENT ON COLUMN ratings.uid IS 'UUIDv7 made by the application: /api/v1.';
COMMENT ON COLUMN ratings.review_text IS 'As it was written; pages escape it.';

CREATE INDEX ratings_newest ON ratings (story_id, created_at, id);
COMMENT ON INDEX ratings_newest IS 'Ratings of a story, newest first; read backwards.';

CREATE INDEX ratings_highest ON ratings (story_id, score, created_at, id);
COMMENT ON INDEX ratings_highest IS
'Ratings of a story, highest first and the newest first of equal ones; read backwards. Counting.';

-- Lowest first and yet newest first: a score that falls, so that one index holds the whole order.
CREATE INDEX ratings_lowest ON ratings (story_id, (-score), created_at, id);
COMMENT ON INDEX ratings_lowest IS
'Ratings of a story, lowest first and the newest first of equal ones; read backwards.';

CREATE INDEX ratings_of_user ON ratings (user_id, created_at, id);
COMMENT ON INDEX ratings_of_user IS 'What one reader has rated, newest first; read backwards.';

CREATE TABLE rating_summaries (
    story_id bigint PRIMARY KEY REFERENCES stories (id) ON DELETE CASCADE,
    distribution integer [] NOT NULL,
    CONSTRAINT rating_summaries_ten CHECK (array_length(distribution, 1) = 10)
) WITH (fillfactor = 80);

COMMENT ON TABLE rating_summaries IS
'How many ratings of each score a story has, as of its last count; average and count follow.';

CREATE TABLE reading_lists (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    uid uuid NOT NULL,
    user_id bigint NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    slug text NOT NULL,
    title text NOT NULL,
    description text NOT NULL DEFAULT '',
    is_public boolean NOT NULL DEFAULT false,
    entry_count integer NOT NULL DEFAULT 0,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    CONSTRAINT reading_lists_uid_key UNIQUE (uid),
    CONSTRAINT reading_lists_slug_once UNIQUE (user_id, slug),
    CONSTRAINT reading_lists_slug_shape CHECK (
        slug ~ '^[a-z0-9]+(-[a-z0-9]+)*$' AND length(slug) <= 100
    ),
    CONSTRAINT reading_lists_title_length CHECK (length(title) BETWEEN 1 AND 100),
    CONSTRAINT reading_lists_description_length CHECK (length(description) <= 2000),
    CONSTRAINT reading_lists_entry_count_range CHECK (entry_count BETWEEN 0 AND 1000)
) WITH (fillfactor = 90);

COMMENT ON COLUMN reading_lists.entry_count IS 'Entries of stories that are hidden count too.';

CREATE INDEX reading_lists_of_user ON reading_lists (user_id, updated_at, id);
COMMENT ON INDEX reading_lists_of_user IS
'The lists of their owner, the last changed first; read backwards.';

CREATE INDEX reading_lists_public ON reading_lists (user_id, updated_at, id) WHERE is_public;
COMMENT ON INDEX reading_lists_public IS 'What others see of somebody''s lists; read backwards.';

CREATE TABLE reading_list_entries (
    list_id bigint NOT NULL REFERENCES reading_lists (id) ON DELETE CASCADE,
    story_id bigint NOT NULL REFERENCES stories (id) ON DELETE CASCADE,
    position bigint NOT NULL,
    note text NOT NULL DEFAULT '',
    added_at timestamptz NOT NULL,
    PRIMARY KEY (list_id, story_id),
    CONSTRAINT reading_list_entries_note_length CHECK (length(note) <= 1000)
);

COMMENT ON COLUMN reading_list_entries.position IS
'Ascending with gaps, so that moving one entry seldom moves others.';

CREATE INDEX reading_list_entries_order ON reading_list_entries (list_id, position, story_id);
COMMENT ON INDEX reading_list_entries_order IS 'A reading list in the order of its owner.';

CREATE INDEX reading_list_entries_story ON reading_list_entries (story_id);
COMMENT ON INDEX reading_list_entries_story IS 'Deleting a story for good.';

CREATE TABLE saved_searches (
    id uuid PRIMARY KEY,
    user_id bigint NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    name text NOT NULL,
    query text NOT NULL,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    CONSTRAINT saved_searches_name_once UNIQUE (user_id, name),
    CONSTRAINT saved_searches_name_length CHECK (length(name) BETWEEN 1 AND 100),
    CONSTRAINT saved_searches_query_length CHECK (length(query) <= 4000)
);

COMMENT ON COLUMN saved_searches.query IS 'Checked and put in one order; as it stands in an address.';

CREATE INDEX saved_searches_of_user ON saved_searches (user_id, created_at, id);
COMMENT ON INDEX saved_searches_of_user IS 'The searches of a reader, latest first; read backwards.';
