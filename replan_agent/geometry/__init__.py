"""What shapes and places mean: outlines, room, support, falls, and the scene after a step."""
