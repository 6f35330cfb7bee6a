"""Tests of the shelf, on the real database."""
