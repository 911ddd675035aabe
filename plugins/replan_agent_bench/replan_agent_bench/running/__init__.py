"""Where the episodes run: processes of this machine, or a Ray cluster."""
