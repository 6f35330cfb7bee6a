"""The client of bulk ingest: alone, against a server that misbehaves, and against the real one."""
