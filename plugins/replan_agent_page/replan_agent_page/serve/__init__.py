"""What every server of the arm shares: one task at a time, a stop that lasts, the records."""
