"""The capabilities, one folder each; a room is entered through its `door` alone."""
