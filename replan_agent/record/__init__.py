"""The run folder: what happened, on disk as it happens."""
