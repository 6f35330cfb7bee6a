"""The commands of the room."""
