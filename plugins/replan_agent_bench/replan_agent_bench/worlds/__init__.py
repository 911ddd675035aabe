"""What episodes are made of: scenes, judges of the true state, mishaps, a contact watch."""
