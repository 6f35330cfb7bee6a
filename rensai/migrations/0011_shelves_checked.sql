-- What 0008 asks of the rows that were there before it, without holding up who writes.

SET LOCAL lock_timeout = '5s';
SET LOCAL statement_timeout = '10min';

ALTER TABLE stories VALIDATE CONSTRAINT stories_age_rating_known;
ALTER TABLE stories VALIDATE CONSTRAINT stories_hidden_tags_few;
