-- Stories, their names and genres, groups, chapters, chapter bodies, and what is to be recounted.

SET LOCAL lock_timeout = '5s';
SET LOCAL statement_timeout = '60s';

-- All three are trusted extensions: the owner of the database may create them. Search and
-- similarity stand on them, so a server without them stops here and says what to do.
DO $$
DECLARE
    wanted text;
BEGIN
    FOREACH wanted IN ARRAY ARRAY['pg_trgm', 'unaccent', 'intarray'] LOOP
        BEGIN
            EXECUTE format('CREATE EXTENSION IF NOT EXISTS %I', wanted);
        EXCEPTION
            WHEN insufficient_privilege THEN
                RAISE EXCEPTION 'the extension % is missing and this role may not create it', wanted
                USING ERRCODE = 'insufficient_privilege', HINT = format(
                    'As the owner of the database or a superuser, run: CREATE EXTENSION %I;', wanted
                );
            WHEN undefined_file OR feature_not_supported THEN
                RAISE EXCEPTION 'this PostgreSQL does not have the extension %', wanted
                USING ERRCODE = 'feature_not_supported',
                HINT = 'Install the contrib package of the PostgreSQL server (postgresql-contrib).';
        END;
    END LOOP;
END
$$;

CREATE TABLE stories (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    uid uuid NOT NULL,
    kind text NOT NULL,
    source text NOT NULL,
    source_story_id text NOT NULL,
    slug text NOT NULL,
    title text NOT NULL,
    title_original text,
    authors text [] NOT NULL DEFAULT '{}',
    author_name text GENERATED ALWAYS AS (authors[1]) STORED,
    artists text [] NOT NULL DEFAULT '{}',
    tags text [] NOT NULL DEFAULT '{}',
    year smallint,
    status smallint NOT NULL DEFAULT 0,
    reading_direction text NOT NULL DEFAULT 'ltr',
    is_nsfw boolean NOT NULL DEFAULT false,
    cover_url text,
    cover_storage_key text,
    cover_version integer NOT NULL DEFAULT 1,
    summary text NOT NULL DEFAULT '',
    language text NOT NULL,
    original_language text,
    uploader_id bigint REFERENCES users (id),
    chapter_count integer NOT NULL DEFAULT 0,
    word_count bigint NOT NULL DEFAULT 0,
    follower_count integer NOT NULL DEFAULT 0,
    popularity_score numeric(14, 4) NOT NULL DEFAULT 0,
    rating_avg numeric(4, 2),
    rating_count integer NOT NULL DEFAULT 0,
    last_chapter_no numeric(10, 2),
    cache_version integer NOT NULL DEFAULT 0,
    view_count bigint NOT NULL DEFAULT 0,
    published_at timestamptz,
    updated_at_source timestamptz,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    deleted_at timestamptz,
    CONSTRAINT stories_uid_key UNIQUE (uid),
    CONSTRAINT stories_source_id_key UNIQUE (source, source_story_id),
    CONSTRAINT stories_kind_known CHECK (kind IN ('novel', 'manga', 'manhwa', 'manhua')),
    CONSTRAINT stories_source_shape CHECK (
        length(source) BETWEEN 1 AND 40 AND source !~ '[[:space:][:cntrl:]:/]'
    ),
    CONSTRAINT stories_source_id_length CHECK (length(source_story_id) BETWEEN 1 AND 191),
    CONSTRAINT stories_slug_shape CHECK (slug ~ '^[a-z0-9-]+$' AND length(slug) <= 191),
    CONSTRAINT stories_title_length CHECK (length(title) BETWEEN 1 AND 255),
    CONSTRAINT stories_title_original_length CHECK (length(title_original) <= 255),
    CONSTRAINT stories_author_name_length CHECK (length(author_name) <= 191),
    CONSTRAINT stories_names_few CHECK (
        cardinality(authors) <= 50 AND cardinality(artists) <= 50 AND cardinality(tags) <= 100
    ),
    CONSTRAINT stories_year_range CHECK (year BETWEEN 1 AND 9999),
    CONSTRAINT stories_status_known CHECK (status BETWEEN 0 AND 4),
    CONSTRAINT stories_reading_direction_known CHECK (reading_direction IN ('ltr', 'rtl')),
    CONSTRAINT stories_cover_url_length CHECK (length(cover_url) <= 1024),
    CONSTRAINT stories_summary_length CHECK (length(summary) <= 200000),
    CONSTRAINT stories_language_shape CHECK (
        language ~ '^[a-z]{2,3}(-[A-Za-z0-9]{1,8})*$' AND length(language) <= 10
    ),
    CONSTRAINT stories_original_language_shape CHECK (
        original_language ~ '^[a-z]{2,3}(-[A-Za-z0-9]{1,8})*$' AND length(original_language) <= 10
    ),
    CONSTRAINT stories_counts_not_negative CHECK (
        least(
            cover_version, chapter_count, word_count, follower_count, rating_count,
            cache_version, view_count
        ) >= 0
    ),
    CONSTRAINT stories_rating_range CHECK (rating_avg BETWEEN 1 AND 10)
);

COMMENT ON COLUMN stories.id IS 'Joins and the novel API.';
COMMENT ON COLUMN stories.uid IS 'UUIDv7 made by the application: /api/v1 and the fediverse.';
COMMENT ON COLUMN stories.source IS
'Where it comes from; local for what is uploaded here. No colon: it divides source from slug.';
COMMENT ON COLUMN stories.source_story_id IS 'The id that the source gave; the uid when local.';
COMMENT ON COLUMN stories.author_name IS 'The first author: the one name that the novel API knows.';
COMMENT ON COLUMN stories.status IS '0 draft, 1 ongoing, 2 completed, 3 hiatus, 4 dropped.';
COMMENT ON COLUMN stories.language IS 'The language that it is read in here.';
COMMENT ON COLUMN stories.original_language IS 'The language that it was written in, when known.';
COMMENT ON COLUMN stories.cache_version IS 'Raised by every write to the story or its chapters.';
COMMENT ON COLUMN stories.updated_at_source IS 'The newest wins; an older delivery is ignored.';

-- A deleted story gives up its slug: its source may have told the same story anew.
CREATE UNIQUE INDEX stories_source_slug ON stories (source, slug) WHERE deleted_at IS NULL;
COMMENT ON INDEX stories_source_slug IS 'A story by its address.';

CREATE INDEX stories_source_slug_gone ON stories (source, slug) WHERE deleted_at IS NOT NULL;
COMMENT ON INDEX stories_source_slug_gone IS 'Telling a story that is gone from one never seen.';

CREATE INDEX stories_updated ON stories (updated_at DESC, id DESC)
WHERE deleted_at IS NULL AND status IN (1, 2);
COMMENT ON INDEX stories_updated IS 'Public lists, latest update first.';

CREATE INDEX stories_popular ON stories (popularity_score DESC, id DESC)
WHERE deleted_at IS NULL AND status IN (1, 2);
COMMENT ON INDEX stories_popular IS 'Public lists, most popular first.';

-- A story whose date of publication nobody told counts from its arrival.
CREATE INDEX stories_newest ON stories ((coalesce(published_at, created_at)) DESC, id DESC)
WHERE deleted_at IS NULL AND status IN (1, 2);
COMMENT ON INDEX stories_newest IS 'Public lists, newest first.';

CREATE INDEX stories_source_updated ON stories (source, updated_at DESC, id DESC)
WHERE deleted_at IS NULL AND status IN (1, 2);
COMMENT ON INDEX stories_source_updated IS 'Public lists of one source, latest update first.';

CREATE INDEX stories_source_popular ON stories (source, popularity_score DESC, id DESC)
WHERE deleted_at IS NULL AND status IN (1, 2);
COMMENT ON INDEX stories_source_popular IS 'Public lists of one source, most popular first.';

CREATE INDEX stories_source_newest
ON stories (source, (coalesce(published_at, created_at)) DESC, id DESC)
WHERE deleted_at IS NULL AND status IN (1, 2);
COMMENT ON INDEX stories_source_newest IS 'Public lists of one source, newest first.';

CREATE INDEX stories_author ON stories (author_name, updated_at DESC, id DESC)
WHERE deleted_at IS NULL AND status IN (1, 2) AND author_name IS NOT NULL;
COMMENT ON INDEX stories_author IS 'Public lists of one author.';

CREATE INDEX stories_uploader ON stories (uploader_id, updated_at DESC, id DESC)
WHERE uploader_id IS NOT NULL;
COMMENT ON INDEX stories_uploader IS 'What one account has uploaded, drafts and deleted included.';

CREATE TABLE story_aliases (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    story_id bigint NOT NULL REFERENCES stories (id) ON DELETE CASCADE,
    alias text NOT NULL,
    folded text NOT NULL,
    CONSTRAINT story_aliases_once UNIQUE (story_id, folded),
    CONSTRAINT story_aliases_alias_length CHECK (length(alias) BETWEEN 1 AND 255)
);
COMMENT ON COLUMN story_aliases.folded IS
'Case-folded by the application: the same in every locale of the database.';

CREATE TABLE genres (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    slug text NOT NULL,
    name text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT genres_slug_key UNIQUE (slug),
    CONSTRAINT genres_name_key UNIQUE (name),
    CONSTRAINT genres_slug_shape CHECK (slug ~ '^[a-z0-9-]+$' AND length(slug) <= 120),
    CONSTRAINT genres_name_length CHECK (length(name) BETWEEN 1 AND 120)
);

CREATE TABLE story_genres (
    story_id bigint NOT NULL REFERENCES stories (id) ON DELETE CASCADE,
    genre_id bigint NOT NULL REFERENCES genres (id),
    PRIMARY KEY (story_id, genre_id)
);
CREATE INDEX story_genres_genre ON story_genres (genre_id, story_id);
COMMENT ON INDEX story_genres_genre IS 'The stories of one genre.';

CREATE TABLE groups (
    id uuid PRIMARY KEY,
    name text NOT NULL,
    slug text NOT NULL,
    description text NOT NULL DEFAULT '',
    website text,
    avatar_storage_key text,
    actor_uri text,
    inbox_uri text,
    public_key text,
    private_key_sealed bytea,
    portable_public_key text,
    portable_key_fingerprint text,
    known_actor_uris text [] NOT NULL DEFAULT '{}',
    owner_id bigint NOT NULL REFERENCES users (id),
    is_active boolean NOT NULL DEFAULT true,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT groups_slug_key UNIQUE (slug),
    CONSTRAINT groups_actor_uri_key UNIQUE (actor_uri),
    CONSTRAINT groups_name_length CHECK (length(name) BETWEEN 1 AND 100),
    CONSTRAINT groups_slug_shape CHECK (slug ~ '^[a-z0-9-]+$' AND length(slug) <= 191),
    CONSTRAINT groups_description_length CHECK (length(description) <= 5000),
    CONSTRAINT groups_website_shape CHECK (website ~ '^https?://' AND length(website) <= 1024),
    CONSTRAINT groups_portable_public_key_shape CHECK (portable_public_key ~ '^[0-9a-f]{64}$'),
    CONSTRAINT groups_fingerprint_shape CHECK (portable_key_fingerprint ~ '^[0-9a-f]{32}$')
);
CREATE INDEX groups_owner ON groups (owner_id);
COMMENT ON INDEX groups_owner IS 'The groups that an account owns.';

CREATE TABLE group_members (
    group_id uuid NOT NULL REFERENCES groups (id) ON DELETE CASCADE,
    user_id bigint NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    role text NOT NULL DEFAULT 'member',
    joined_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (group_id, user_id),
    CONSTRAINT group_members_role_length CHECK (length(role) BETWEEN 1 AND 40)
);
CREATE INDEX group_members_user ON group_members (user_id);
COMMENT ON INDEX group_members_user IS 'The groups that an account belongs to.';

CREATE TABLE chapters (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    uid uuid NOT NULL,
    story_id bigint NOT NULL REFERENCES stories (id) ON DELETE CASCADE,
    group_id uuid REFERENCES groups (id) ON DELETE SET NULL,
    uploader_id bigint REFERENCES users (id),
    source_chapter_id text,
    chapter_no numeric(10, 2) NOT NULL,
    number_label text,
    volume_label text,
    slug text NOT NULL,
    title text NOT NULL DEFAULT '',
    language text NOT NULL,
    is_published boolean NOT NULL DEFAULT true,
    page_count integer NOT NULL DEFAULT 0,
    word_count integer NOT NULL DEFAULT 0,
    read_count bigint NOT NULL DEFAULT 0,
    object_uri text,
    published_at timestamptz,
    announced_at timestamptz,
    updated_at_source timestamptz,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    deleted_at timestamptz,
    CONSTRAINT chapters_uid_key UNIQUE (uid),
    CONSTRAINT chapters_source_id_length CHECK (length(source_chapter_id) BETWEEN 1 AND 191),
    CONSTRAINT chapters_number_label_length CHECK (length(number_label) BETWEEN 1 AND 40),
    CONSTRAINT chapters_volume_label_length CHECK (length(volume_label) BETWEEN 1 AND 40),
    CONSTRAINT chapters_slug_shape CHECK (slug ~ '^[a-z0-9-]+$' AND length(slug) <= 191),
    CONSTRAINT chapters_title_length CHECK (length(title) <= 255),
    CONSTRAINT chapters_language_shape CHECK (
        language ~ '^[a-z]{2,3}(-[A-Za-z0-9]{1,8})*$' AND length(language) <= 10
    ),
    CONSTRAINT chapters_counts_not_negative CHECK (least(page_count, word_count, read_count) >= 0)
);

COMMENT ON COLUMN chapters.chapter_no IS 'The order of reading; decimals are interludes.';
COMMENT ON COLUMN chapters.number_label IS 'The number as its uploader wrote it, such as Extra 2.';
COMMENT ON COLUMN chapters.uploader_id IS 'Null when it was ingested or polled.';
COMMENT ON COLUMN chapters.announced_at IS
'When it could be read for the first time: its publication is news only once.';
COMMENT ON COLUMN chapters.object_uri IS 'Its name in the fediverse, once it has one.';

CREATE UNIQUE INDEX chapters_source_id ON chapters (story_id, source_chapter_id)
WHERE source_chapter_id IS NOT NULL;
COMMENT ON INDEX chapters_source_id IS 'The first identity of an ingested chapter.';

-- A crawler's chapter is one per number, two groups may upload the same one. What is deleted gives
-- up its number and its slug; an ingested chapter without an id of its own is still found by it.
CREATE UNIQUE INDEX chapters_ingested_no ON chapters (story_id, chapter_no)
WHERE uploader_id IS NULL AND deleted_at IS NULL;
COMMENT ON INDEX chapters_ingested_no IS 'The second identity of an ingested chapter.';

CREATE INDEX chapters_ingested_no_gone ON chapters (story_id, chapter_no)
WHERE uploader_id IS NULL AND deleted_at IS NOT NULL AND source_chapter_id IS NULL;
COMMENT ON INDEX chapters_ingested_no_gone IS 'The same for one that was deleted and may come back.';

CREATE UNIQUE INDEX chapters_ingested_slug ON chapters (story_id, slug)
WHERE uploader_id IS NULL AND deleted_at IS NULL;
COMMENT ON INDEX chapters_ingested_slug IS 'An ingested chapter by its slug.';

CREATE UNIQUE INDEX chapters_uploaded_no
ON chapters (story_id, language, chapter_no, group_id) NULLS NOT DISTINCT
WHERE uploader_id IS NOT NULL AND deleted_at IS NULL;
COMMENT ON INDEX chapters_uploaded_no IS 'One upload per number, language and group.';

CREATE UNIQUE INDEX chapters_uploaded_slug ON chapters (story_id, slug)
WHERE uploader_id IS NOT NULL AND deleted_at IS NULL;
COMMENT ON INDEX chapters_uploaded_slug IS 'An uploaded chapter by its slug.';

CREATE INDEX chapters_reading_order ON chapters (story_id, chapter_no, id)
WHERE is_published AND deleted_at IS NULL;
COMMENT ON INDEX chapters_reading_order IS 'The table of contents, next and previous chapter.';

CREATE INDEX chapters_latest ON chapters (story_id, published_at DESC, id DESC)
WHERE is_published AND deleted_at IS NULL;
COMMENT ON INDEX chapters_latest IS 'The latest chapters of a story.';

CREATE INDEX chapters_group ON chapters (group_id) WHERE group_id IS NOT NULL;
COMMENT ON INDEX chapters_group IS 'The chapters of a group.';

CREATE INDEX chapters_uploader ON chapters (uploader_id, id DESC) WHERE uploader_id IS NOT NULL;
COMMENT ON INDEX chapters_uploader IS 'The chapters that an account uploaded.';

-- The application compresses, so the database need not try.
CREATE TABLE chapter_bodies (
    chapter_id bigint PRIMARY KEY REFERENCES chapters (id) ON DELETE CASCADE,
    content_raw bytea STORAGE EXTERNAL NOT NULL,
    content_html bytea STORAGE EXTERNAL,
    content_hash bytea,
    content_size integer NOT NULL DEFAULT 0,
    content_encoding text NOT NULL DEFAULT 'none',
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT chapter_bodies_hash_length CHECK (length(content_hash) = 32),
    CONSTRAINT chapter_bodies_size_not_negative CHECK (content_size >= 0),
    CONSTRAINT chapter_bodies_encoding_known CHECK (content_encoding IN ('none', 'gzip', 'zstd'))
);

COMMENT ON COLUMN chapter_bodies.content_raw IS 'UTF-8, packed as content_encoding says.';
COMMENT ON COLUMN chapter_bodies.content_html IS 'Sanitised HTML, packed in the same way.';
COMMENT ON COLUMN chapter_bodies.content_hash IS 'SHA-256 of the normalised text, before packing.';
COMMENT ON COLUMN chapter_bodies.content_size IS 'Bytes of the text before packing.';

CREATE INDEX chapter_bodies_hash ON chapter_bodies (content_hash) WHERE content_hash IS NOT NULL;
COMMENT ON INDEX chapter_bodies_hash IS 'Finding the same text twice.';

CREATE TABLE recount_queue (
    story_id bigint PRIMARY KEY REFERENCES stories (id) ON DELETE CASCADE,
    dirty_since timestamptz NOT NULL,
    next_run_at timestamptz NOT NULL,
    priority smallint NOT NULL DEFAULT 0,
    touch_count integer NOT NULL DEFAULT 1,
    locked_at timestamptz,
    locked_by text,
    updated_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT recount_queue_priority_range CHECK (priority BETWEEN 0 AND 255),
    CONSTRAINT recount_queue_locked_by_length CHECK (length(locked_by) <= 64)
) WITH (autovacuum_vacuum_scale_factor = 0.01);

CREATE INDEX recount_queue_due ON recount_queue (priority DESC, next_run_at, story_id);
COMMENT ON INDEX recount_queue_due IS 'Claiming the stories that are due for a recount.';

CREATE INDEX recount_queue_locked ON recount_queue (locked_at) WHERE locked_at IS NOT NULL;
COMMENT ON INDEX recount_queue_locked IS 'Freeing what a worker took and never gave back.';
