"""Bulk ingest over `/wp-json/novel/v1/ingest`, for crawlers that sign what they send."""

from rensai.rooms.ingest.novel_api.routes import routes

__all__ = ["routes"]
