"""SQL of the room: one module for each thing it keeps."""
