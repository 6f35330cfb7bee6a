"""Readers: accounts, signing in, and the portable identity behind an account.

Owns the tables `users`, `sessions`, `refresh_tokens` and `api_tokens`. Other rooms ask it, through
its door, who is asking and whether they may.
"""
