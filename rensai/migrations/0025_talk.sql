-- What readers say to each other, what they like of it, and what they report.

SET LOCAL lock_timeout = '5s';
SET LOCAL statement_timeout = '60s';

-- One table for threads of stories and of chapters, from here and from the fediverse.
CREATE TABLE comments (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    uid uuid NOT NULL,
    story_id bigint NOT NULL REFERENCES stories (id) ON DELETE CASCADE,
    chapter_id bigint REFERENCES chapters (id) ON DELETE CASCADE,
    parent_id bigint REFERENCES comments (id) ON DELETE CASCADE,
    user_id bigint REFERENCES users (id) ON DELETE SET NULL,
    content text NOT NULL,
    likes_count integer NOT NULL DEFAULT 0,
    reply_count integer NOT NULL DEFAULT 0,
    is_pinned boolean NOT NULL DEFAULT false,
    is_hidden boolean NOT NULL DEFAULT false,
    is_local boolean NOT NULL DEFAULT true,
    actor_uri text,
    author_display_name text NOT NULL DEFAULT '',
    author_avatar_url text,
    portable_key_fingerprint text,
    activity_pub_object_uri text,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    edited_at timestamptz,
    deleted_at timestamptz,
    moderated_by bigint REFERENCES users (id) ON DELETE SET NULL,
    moderated_at timestamptz,
    is_shown boolean NOT NULL GENERATED ALWAYS AS (
        NOT is_hidden AND (deleted_at IS NULL OR reply_count > 0)
    ) STORED,
    CONSTRAINT comments_uid_key UNIQUE (uid),
    CONSTRAINT comments_object_uri_key UNIQUE (activity_pub_object_uri),
    CONSTRAINT comments_content_length CHECK (length(content) <= 2000),
    CONSTRAINT comments_content_there CHECK (content <> '' OR deleted_at IS NOT NULL),
    CONSTRAINT comments_counts_not_negative CHECK (least(likes_count, reply_count) >= 0),
    CONSTRAINT comments_no_reply_is_pinned CHECK (parent_id IS NULL OR NOT is_pinned),
    CONSTRAINT comments_no_reply_has_replies CHECK (parent_id IS NULL OR reply_count = 0),
    CONSTRAINT comments_not_under_itself CHECK (parent_id <> id),
    CONSTRAINT comments_author_length CHECK (length(author_display_name) <= 200),
    CONSTRAINT comments_uris_length CHECK (
        length(actor_uri) <= 2048 AND length(author_avatar_url) <= 2048
        AND length(activity_pub_object_uri) <= 2048
    ),
    CONSTRAINT comments_fingerprint_shape CHECK (portable_key_fingerprint ~ '^[0-9a-f]{32}$')
) WITH (
    fillfactor = 90,
    autovacuum_vacuum_scale_factor = 0.02,
    autovacuum_vacuum_insert_scale_factor = 0.02,
    autovacuum_analyze_scale_factor = 0.05
);

COMMENT ON COLUMN comments.id IS 'Ties in lists, and the novel API.';
COMMENT ON COLUMN comments.uid IS 'UUIDv7 made by the application: /api/v1 and the fediverse.';
COMMENT ON COLUMN comments.chapter_id IS 'Null when it is about the whole story.';
COMMENT ON COLUMN comments.parent_id IS 'The comment that it answers; that one answers none.';
COMMENT ON COLUMN comments.user_id IS 'Null when its author is elsewhere, or no more.';
COMMENT ON COLUMN comments.content IS 'As it was written; pages escape it.';
COMMENT ON COLUMN comments.likes_count IS 'As of the last count of comment_likes.';
COMMENT ON COLUMN comments.reply_count IS 'Of those that are shown, as of the last count.';
COMMENT ON COLUMN comments.author_display_name IS
'Of somebody elsewhere, or as it was at the time; an account here has its name of today.';
COMMENT ON COLUMN comments.is_shown IS
'A deleted comment that was answered is shown as a blank, or its answers would hang in the air.';

-- Pinned comments come first and are few: a page reads them and then the others, each in the order
-- of one index, whichever way.
CREATE INDEX comments_of_story_by_time ON comments (story_id, is_pinned, created_at, id)
WHERE chapter_id IS NULL AND parent_id IS NULL AND is_shown;
COMMENT ON INDEX comments_of_story_by_time IS 'Comments on a story, newest or oldest first.';

CREATE INDEX comments_of_story_by_likes
ON comments (story_id, is_pinned, likes_count, created_at, id)
WHERE chapter_id IS NULL AND parent_id IS NULL AND is_shown;
COMMENT ON INDEX comments_of_story_by_likes IS
'Comments on a story, those that most like first; read backwards.';

CREATE INDEX comments_of_chapter_by_time ON comments (chapter_id, is_pinned, created_at, id)
WHERE chapter_id IS NOT NULL AND parent_id IS NULL AND is_shown;
COMMENT ON INDEX comments_of_chapter_by_time IS 'Comments on a chapter, newest or oldest first.';

CREATE INDEX comments_of_chapter_by_likes
ON comments (chapter_id, is_pinned, likes_count, created_at, id)
WHERE chapter_id IS NOT NULL AND parent_id IS NULL AND is_shown;
COMMENT ON INDEX comments_of_chapter_by_likes IS
'Comments on a chapter, those that most like first; read backwards.';

CREATE INDEX comments_replies ON comments (parent_id, is_shown, created_at, id)
WHERE parent_id IS NOT NULL;
COMMENT ON INDEX comments_replies IS 'The replies to a comment, oldest first, and their number.';

CREATE INDEX comments_of_account ON comments (user_id, created_at, id) WHERE user_id IS NOT NULL;
COMMENT ON INDEX comments_of_account IS
'All that an account has written: its archive, its deletion, what it has just said.';

CREATE INDEX comments_of_identity ON comments (portable_key_fingerprint, created_at, id)
WHERE portable_key_fingerprint IS NOT NULL AND deleted_at IS NULL AND NOT is_hidden;
COMMENT ON INDEX comments_of_identity IS
'What somebody has written here and elsewhere, newest first; read backwards.';

CREATE INDEX comments_of_account_shown ON comments (user_id, created_at, id)
WHERE user_id IS NOT NULL AND deleted_at IS NULL AND NOT is_hidden;
COMMENT ON INDEX comments_of_account_shown IS
'The same for an account without a portable identity, and without what is not shown.';

CREATE INDEX comments_of_actor ON comments (actor_uri) WHERE actor_uri IS NOT NULL;
COMMENT ON INDEX comments_of_actor IS 'What an actor of the fediverse has written.';

CREATE INDEX comments_hidden ON comments (id) WHERE is_hidden;
COMMENT ON INDEX comments_hidden IS 'What moderators have hidden, the latest first.';

CREATE INDEX comments_moderated ON comments (moderated_by) WHERE moderated_by IS NOT NULL;
COMMENT ON INDEX comments_moderated IS 'What a moderator has acted on.';

CREATE INDEX comments_about_story ON comments (story_id);
COMMENT ON INDEX comments_about_story IS 'All that goes when a story is erased for good.';

CREATE INDEX comments_about_chapter ON comments (chapter_id) WHERE chapter_id IS NOT NULL;
COMMENT ON INDEX comments_about_chapter IS 'All that goes when a chapter is erased for good.';

-- Counting the likes of a comment reads one index and no row, as long as vacuum has been there.
CREATE TABLE comment_likes (
    comment_id bigint NOT NULL REFERENCES comments (id) ON DELETE CASCADE,
    user_id bigint NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    created_at timestamptz NOT NULL,
    PRIMARY KEY (comment_id, user_id)
) WITH (
    autovacuum_vacuum_scale_factor = 0.02,
    autovacuum_vacuum_insert_scale_factor = 0.02,
    autovacuum_analyze_scale_factor = 0.05
);

CREATE INDEX comment_likes_of_account ON comment_likes (user_id, comment_id);
COMMENT ON INDEX comment_likes_of_account IS
'What an account likes: of the comments on a page, for its archive, and to forget it.';

CREATE TABLE reports (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    uid uuid NOT NULL,
    reporter_user_id bigint REFERENCES users (id) ON DELETE SET NULL,
    target_type text NOT NULL,
    target_id bigint NOT NULL,
    reason text NOT NULL,
    notes text,
    quoted text,
    status text NOT NULL DEFAULT 'open',
    resolution text,
    resolved_by bigint REFERENCES users (id) ON DELETE SET NULL,
    resolved_at timestamptz,
    created_at timestamptz NOT NULL,
    CONSTRAINT reports_uid_key UNIQUE (uid),
    CONSTRAINT reports_target_known CHECK (target_type IN ('story', 'chapter', 'comment')),
    CONSTRAINT reports_reason_known CHECK (
        reason IN ('spam', 'inappropriate', 'copyright', 'other')
    ),
    CONSTRAINT reports_notes_length CHECK (length(notes) BETWEEN 1 AND 500),
    CONSTRAINT reports_quoted_length CHECK (length(quoted) <= 2000),
    CONSTRAINT reports_resolution_length CHECK (length(resolution) BETWEEN 1 AND 500),
    CONSTRAINT reports_status_known CHECK (status IN ('open', 'resolved', 'dismissed')),
    CONSTRAINT reports_resolved_once CHECK ((status = 'open') = (resolved_at IS NULL))
);

COMMENT ON COLUMN reports.target_id IS
'The key of a story, a chapter or a comment; what it names may be gone, and the report stays.';
COMMENT ON COLUMN reports.reporter_user_id IS 'Null when the account is no more.';
COMMENT ON COLUMN reports.quoted IS 'What a comment said when it was reported: it may be changed.';
COMMENT ON COLUMN reports.resolution IS 'What whoever resolved it wants others to know.';

CREATE UNIQUE INDEX reports_open_once ON reports (reporter_user_id, target_type, target_id)
WHERE status = 'open' AND reporter_user_id IS NOT NULL;
COMMENT ON INDEX reports_open_once IS 'One open report for each person and thing.';

CREATE INDEX reports_by_status ON reports (status, id);
COMMENT ON INDEX reports_by_status IS 'The queue of moderators, oldest or latest first.';

CREATE INDEX reports_open_about ON reports (target_type, target_id, id) WHERE status = 'open';
COMMENT ON INDEX reports_open_about IS 'The open reports about one thing, which end together.';

CREATE INDEX reports_of_account ON reports (reporter_user_id, id)
WHERE reporter_user_id IS NOT NULL;
COMMENT ON INDEX reports_of_account IS 'What an account has reported: its archive, its deletion.';

CREATE INDEX reports_resolved_by ON reports (resolved_by) WHERE resolved_by IS NOT NULL;
COMMENT ON INDEX reports_resolved_by IS 'What a moderator has resolved.';
