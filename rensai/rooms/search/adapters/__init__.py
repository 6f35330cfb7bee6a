"""Text as it is compared, asked for and shown; questions as they stand in an address."""
