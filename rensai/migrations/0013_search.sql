-- What search reads: two shelves of the same tables, of which readers see one while the other is
-- built anew, and the journal by which every web process keeps its own picture true.

SET LOCAL lock_timeout = '5s';
SET LOCAL statement_timeout = '60s';

CREATE FUNCTION search_make_shelf(shelf text) RETURNS void LANGUAGE plpgsql AS $shelf$
BEGIN
    EXECUTE format('CREATE SCHEMA %I', shelf);

    EXECUTE format($sql$
        CREATE TABLE %I.search_index (
            story_id bigint PRIMARY KEY,
            uid uuid NOT NULL,
            kind text NOT NULL,
            source text NOT NULL,
            source_story_id text NOT NULL,
            slug text NOT NULL,
            title text NOT NULL,
            title_original text,
            aliases text [] NOT NULL,
            authors text [] NOT NULL,
            artists text [] NOT NULL,
            status smallint NOT NULL,
            is_nsfw boolean NOT NULL,
            age_rating text,
            cover_url text,
            summary text NOT NULL,
            language text NOT NULL,
            original_language text,
            genre_slugs text [] NOT NULL,
            genre_names text [] NOT NULL,
            tags text [] NOT NULL,
            translation_group uuid,
            translation_count integer NOT NULL,
            chapter_count integer NOT NULL,
            word_count bigint NOT NULL,
            last_chapter_no numeric(10, 2),
            popularity_score numeric(14, 4) NOT NULL,
            rating_avg numeric(4, 2),
            rating_count integer NOT NULL,
            view_count bigint NOT NULL,
            follower_count integer NOT NULL,
            published_at timestamptz,
            created_at timestamptz NOT NULL,
            updated_at timestamptz NOT NULL,
            title_length smallint NOT NULL,
            facets integer [] NOT NULL,
            digest bytea NOT NULL,
            words_digest bytea NOT NULL
        ) WITH (fillfactor = 90)$sql$, shelf);
    EXECUTE format($sql$
        COMMENT ON COLUMN %I.search_index.facets IS
        'The ids of its facet values, sorted: what filter_map says of it, the other way round.'
    $sql$, shelf);
    EXECUTE format($sql$
        CREATE INDEX search_index_group ON %I.search_index (translation_group)
        WHERE translation_group IS NOT NULL$sql$, shelf);
    EXECUTE format($sql$
        COMMENT ON INDEX %I.search_index_group IS 'Translations of one another.'$sql$, shelf);

    EXECUTE format($sql$
        CREATE TABLE %I.facet_values (
            id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            facet_type text NOT NULL,
            facet_value text NOT NULL,
            label text NOT NULL,
            CONSTRAINT facet_values_once UNIQUE (facet_type, facet_value)
        )$sql$, shelf);

    EXECUTE format($sql$
        CREATE TABLE %I.filter_map (
            value_id integer NOT NULL,
            story_id bigint NOT NULL,
            PRIMARY KEY (value_id, story_id)
        )$sql$, shelf);
    EXECUTE format($sql$
        COMMENT ON TABLE %I.filter_map IS
        'A row for each facet value of each story; facet_values says type and value.'$sql$, shelf);

    -- The words lie apart from the rows, so that finding stories by them reads few pages. They are
    -- moved there only from rows above 2 kB, so every row begins with a text that makes it so and
    -- then takes no room, packed.
    EXECUTE format($sql$
        CREATE TABLE %I.search_words (
            story_id bigint PRIMARY KEY,
            padding text NOT NULL DEFAULT repeat(' ', 2100),
            words tsvector STORAGE EXTERNAL NOT NULL
        ) WITH (toast_tuple_target = 128, parallel_workers = 2)$sql$, shelf);
    EXECUTE format($sql$
        COMMENT ON COLUMN %I.search_words.words IS
        'Folded words by where they stand: =title, @author, #tag, ~summary; !whole title.'
    $sql$, shelf);

    -- A misspelt word is compared with these.
    EXECUTE format('CREATE TABLE %I.search_vocabulary (word text PRIMARY KEY)', shelf);

    PERFORM search_index_words(shelf);
END
$shelf$;

CREATE FUNCTION search_index_words(shelf text) RETURNS void LANGUAGE plpgsql
SET maintenance_work_mem = '256MB' AS $shelf$
BEGIN
    EXECUTE format($sql$
        CREATE INDEX IF NOT EXISTS search_words_found ON %I.search_words USING gin (words)
        WITH (fastupdate = off)$sql$, shelf);
    EXECUTE format($sql$
        COMMENT ON INDEX %I.search_words_found IS 'Stories by their words.'$sql$, shelf);
    EXECUTE format($sql$
        CREATE INDEX IF NOT EXISTS search_vocabulary_like ON %I.search_vocabulary
        USING gin (word gin_trgm_ops)$sql$, shelf);
    EXECUTE format($sql$
        COMMENT ON INDEX %I.search_vocabulary_like IS 'Words like a misspelt one.'$sql$, shelf);
    EXECUTE format('ANALYZE %1$I.search_index, %1$I.filter_map, %1$I.facet_values', shelf);
    EXECUTE format('ANALYZE %1$I.search_words, %1$I.search_vocabulary', shelf);
END
$shelf$;
COMMENT ON FUNCTION search_index_words IS 'The indexes that a shelf is filled faster without.';

CREATE FUNCTION search_clear_shelf(shelf text) RETURNS void LANGUAGE plpgsql AS $shelf$
BEGIN
    EXECUTE format('DROP INDEX IF EXISTS %1$I.search_words_found, %1$I.search_vocabulary_like', shelf);
    EXECUTE format($sql$
        TRUNCATE %1$I.search_index, %1$I.facet_values, %1$I.filter_map, %1$I.search_words,
            %1$I.search_vocabulary RESTART IDENTITY
    $sql$, shelf);
END
$shelf$;
COMMENT ON FUNCTION search_clear_shelf IS 'Empties a shelf that nobody reads, to fill it anew.';

SELECT search_make_shelf('search_a');
SELECT search_make_shelf('search_b');

CREATE TABLE search_state (
    id boolean PRIMARY KEY DEFAULT true,
    live text NOT NULL DEFAULT 'search_a',
    generation integer NOT NULL DEFAULT 1,
    layout integer NOT NULL DEFAULT 0,
    last_change bigint NOT NULL DEFAULT 0,
    taxonomies_version integer NOT NULL DEFAULT 0,
    building text,
    building_layout integer,
    building_frozen bigint,
    built_to bigint,
    built_count bigint NOT NULL DEFAULT 0,
    builder text,
    builder_seen_at timestamptz,
    CONSTRAINT search_state_one CHECK (id),
    CONSTRAINT search_state_shelves CHECK (
        live IN ('search_a', 'search_b') AND building IN ('search_a', 'search_b')
        AND building <> live
    )
);
INSERT INTO search_state DEFAULT VALUES;

COMMENT ON TABLE search_state IS 'One row; whoever writes to a shelf holds it first.';
COMMENT ON COLUMN search_state.live IS 'The shelf that readers see.';
COMMENT ON COLUMN search_state.generation IS 'Raised when another shelf goes live.';
COMMENT ON COLUMN search_state.layout IS 'Which release''s idea of an entry the live shelf has.';
COMMENT ON COLUMN search_state.last_change IS 'The latest number in the journal.';
COMMENT ON COLUMN search_state.building_frozen IS
'The journal up to this number is on the shelf being built, of which the indexes are being made.';
COMMENT ON COLUMN search_state.built_to IS 'Stories up to this id are on the shelf being built.';

CREATE TABLE search_journal (
    number bigint PRIMARY KEY,
    story_id bigint NOT NULL,
    lost integer [] NOT NULL,
    gained integer [] NOT NULL,
    changed_at timestamptz NOT NULL
);
COMMENT ON COLUMN search_journal.lost IS 'Facet values of the live shelf that it no longer has.';
CREATE INDEX search_journal_age ON search_journal (changed_at);
COMMENT ON INDEX search_journal_age IS 'Clearing away what every process has long read.';

CREATE TABLE search_taxonomies (
    facet_type text PRIMARY KEY,
    label text NOT NULL,
    is_multiple boolean NOT NULL
);
INSERT INTO search_taxonomies (facet_type, label, is_multiple) VALUES
('fandom', 'Fandom', true), ('warning', 'Warning', true);
COMMENT ON TABLE search_taxonomies IS 'The facets that operators have defined, as search knows them.';

-- Trigrams find candidates generously; the application measures how far off they really are.
CREATE FUNCTION search_similar(shelf text, misspelt text) RETURNS SETOF text
LANGUAGE plpgsql STABLE SET pg_trgm.similarity_threshold = 0.2 AS $shelf$
BEGIN
    RETURN QUERY EXECUTE format($sql$
        SELECT word FROM %I.search_vocabulary
        WHERE word %% $1
        ORDER BY similarity(word, $1) DESC, word
        LIMIT 40
    $sql$, shelf) USING misspelt;
END
$shelf$;
