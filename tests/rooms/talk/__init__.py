"""Tests of the room where readers talk."""
