"""What other rooms may know of talk."""
