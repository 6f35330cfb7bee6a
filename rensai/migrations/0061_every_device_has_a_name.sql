-- Every session has had a uid since the column came; now it is certain.

SET LOCAL lock_timeout = '5s';
SET LOCAL statement_timeout = '60s';

ALTER TABLE sessions VALIDATE CONSTRAINT sessions_uid_there;
ALTER TABLE sessions ALTER COLUMN uid SET NOT NULL;
