"""Local planning: a few small actions around a blocked step."""
