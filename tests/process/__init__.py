"""Whole process trees, started as a person would start them, and ended in every way there is."""
