"""The six nodes, and all of them in one process."""
