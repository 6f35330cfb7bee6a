"""Tests of the room catalogue."""
