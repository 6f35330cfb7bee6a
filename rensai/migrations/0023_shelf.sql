-- What readers read and keep: where they are in a story, which chapters they have read, and what
-- they have put on their shelf.

SET LOCAL lock_timeout = '5s';
SET LOCAL statement_timeout = '60s';

-- Written with every chapter that is opened, so it is vacuumed early.
CREATE TABLE reading_progress (
    user_id bigint NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    story_id bigint NOT NULL REFERENCES stories (id) ON DELETE CASCADE,
    chapter_id bigint NOT NULL,
    chapter_no numeric(10, 2) NOT NULL,
    scroll_position double precision,
    page_number integer,
    updated_at timestamptz NOT NULL,
    PRIMARY KEY (user_id, story_id),
    CONSTRAINT reading_progress_scroll_range CHECK (scroll_position BETWEEN 0 AND 1),
    CONSTRAINT reading_progress_page_range CHECK (page_number >= 1)
) WITH (
    fillfactor = 90,
    autovacuum_vacuum_scale_factor = 0.01,
    autovacuum_analyze_scale_factor = 0.05
);

COMMENT ON TABLE reading_progress IS 'Where a reader is in a story: the newest of all devices.';
COMMENT ON COLUMN reading_progress.chapter_id IS
'Bound to no row of chapters: one that was removed must not hold up or undo what readers write.';
COMMENT ON COLUMN reading_progress.chapter_no IS
'As it was then, to say how far somebody is when the chapter is gone.';
COMMENT ON COLUMN reading_progress.scroll_position IS 'From 0 at the top to 1 at the end.';

CREATE INDEX reading_progress_recent
ON reading_progress (user_id, updated_at DESC, story_id DESC);
COMMENT ON INDEX reading_progress_recent IS 'What a reader is reading, latest first.';

CREATE INDEX reading_progress_story ON reading_progress (story_id);
COMMENT ON INDEX reading_progress_story IS 'How many read a story; removing a story.';

-- One row for each chapter that somebody has read. No foreign keys: with them, each row that is
-- written would lock a row of users, of stories and of chapters, and a hot story is read by many.
CREATE TABLE reading_history (
    user_id bigint NOT NULL,
    chapter_id bigint NOT NULL,
    story_id bigint NOT NULL,
    page_number integer,
    completed boolean,
    scroll_position double precision,
    read_at timestamptz,
    updated_at timestamptz NOT NULL,
    PRIMARY KEY (user_id, chapter_id),
    CONSTRAINT reading_history_scroll_range CHECK (scroll_position BETWEEN 0 AND 1),
    CONSTRAINT reading_history_page_range CHECK (page_number >= 1)
) WITH (
    fillfactor = 90,
    autovacuum_vacuum_scale_factor = 0.01,
    autovacuum_vacuum_insert_scale_factor = 0.02,
    autovacuum_analyze_scale_factor = 0.02
);

COMMENT ON COLUMN reading_history.completed IS 'Null while nobody has said.';
COMMENT ON COLUMN reading_history.read_at IS
'Null once it is so long ago that it is no longer told: the chapter stays a read one.';

CREATE INDEX reading_history_recent
ON reading_history (user_id, read_at DESC, chapter_id DESC) INCLUDE (story_id)
WHERE read_at IS NOT NULL;
COMMENT ON INDEX reading_history_recent IS 'What a reader has read lately, latest first.';

CREATE INDEX reading_history_story
ON reading_history (user_id, story_id, updated_at DESC, chapter_id DESC);
COMMENT ON INDEX reading_history_story IS 'What a reader has read of one story, latest first.';

CREATE INDEX reading_history_old ON reading_history (read_at) WHERE read_at IS NOT NULL;
COMMENT ON INDEX reading_history_old IS 'Forgetting when something was read long ago.';

CREATE TABLE bookmarks (
    user_id bigint NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    story_id bigint NOT NULL REFERENCES stories (id) ON DELETE CASCADE,
    status smallint NOT NULL DEFAULT 0,
    notify_new_chapter boolean NOT NULL DEFAULT true,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    PRIMARY KEY (user_id, story_id),
    CONSTRAINT bookmarks_status_known CHECK (status BETWEEN 0 AND 5)
) WITH (
    fillfactor = 90,
    autovacuum_vacuum_scale_factor = 0.02,
    autovacuum_analyze_scale_factor = 0.05
);

COMMENT ON COLUMN bookmarks.status IS
'0 following, 1 favorite, 2 plan to read, 3 dropped, 4 completed, 5 on hold; the novel API knows '
'the first four and shows the others as 0.';
COMMENT ON COLUMN bookmarks.created_at IS 'When the story came onto the shelf.';

CREATE INDEX bookmarks_recent ON bookmarks (user_id, updated_at DESC, story_id DESC);
COMMENT ON INDEX bookmarks_recent IS 'The shelf of a reader, latest change first.';

CREATE INDEX bookmarks_status ON bookmarks (user_id, status, updated_at DESC, story_id DESC);
COMMENT ON INDEX bookmarks_status IS 'The part of the shelf with one status, latest change first.';

CREATE INDEX bookmarks_story ON bookmarks (story_id, status);
COMMENT ON INDEX bookmarks_story IS 'Counting who follows a story; removing a story.';
