"""The speed scale of a cell: running motions are slowed and paused by a topic."""
