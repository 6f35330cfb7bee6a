"""Measurements: each case beside its baseline, on the same machine, in the same run."""
