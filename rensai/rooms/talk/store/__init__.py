"""SQL of the room, one module for each noun."""
