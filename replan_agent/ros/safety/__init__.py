"""Protection of the arm: guard, stop latch, settings."""
