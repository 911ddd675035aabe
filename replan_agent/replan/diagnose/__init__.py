"""What a failure is, and what to do about it."""
