"""What keeps an arm from harm: guard, stop latch, settings."""
