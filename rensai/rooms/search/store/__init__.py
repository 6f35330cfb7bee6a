"""SQL of the room: the shelves are alike, so a statement is made once for each of them."""
