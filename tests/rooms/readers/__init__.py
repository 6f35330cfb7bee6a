"""Tests of the room readers."""
