"""What steps do to a scene: certain or expected, proved impossible, or undone since."""
