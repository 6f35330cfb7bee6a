"""Readers: accounts, signing in, and the portable identity behind an account.

Owns the tables `users`, `sessions`, `refresh_tokens`, `api_tokens`, `reader_settings`, `mutes`,
`letter_marks`, `transfers` and `account_actions`. Other rooms ask it, through its door, who is
asking and whether they may.
"""
