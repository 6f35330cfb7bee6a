"""Text as it is compared, asked for and shown."""
