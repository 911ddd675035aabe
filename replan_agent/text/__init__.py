"""YAML, JSON, files and words from outside, none of it trusted."""
