"""PERCEIVE: from the world to a Scene."""
