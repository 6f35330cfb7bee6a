"""The words of the room: threads, comments and reports."""
