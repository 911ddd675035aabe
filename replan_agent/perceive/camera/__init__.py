"""From pixels to a Scene: colour and depth."""
