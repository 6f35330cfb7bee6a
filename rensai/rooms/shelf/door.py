"""What other rooms may know of the shelf."""
