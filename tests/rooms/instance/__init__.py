"""Tests of the room instance."""
