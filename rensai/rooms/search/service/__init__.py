"""What can be asked of search: one module for each verb, imported by who needs it.

A worker keeps the index true without ever asking it, so it should not carry what answers.
"""
