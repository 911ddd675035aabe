"""The eight nodes, and those of a small graph in one process."""
