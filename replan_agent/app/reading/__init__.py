"""Reads a task before a world is built."""
