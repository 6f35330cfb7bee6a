"""What every room stands on: the database, tasks, events, the web frame, caches and limits.

Each module here has one purpose and knows no room.
"""
