"""Formats that were agreed outside: password hashes and BIP-39 identities."""
