"""The worker: it runs what is asked for, once, and nothing that a task does ends it."""
