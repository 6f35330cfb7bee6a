"""Tests of the rooms, each on the real database."""
