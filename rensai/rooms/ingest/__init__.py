"""Ingest: crawlers push stories and chapters in bulk; what is accepted is never lost.

Owns the tables `api_keys`, `api_key_failures`, `api_key_usage`, `nonces`, `ingest_requests`,
`ingest_jobs`, `ingest_jobs_completed`, `ingest_totals`, `ingest_payload_blobs` and `sync_logs`.
A signed request becomes one row and a job for each of its items; workers take the jobs in batches
and hand them to the catalogue.
"""
