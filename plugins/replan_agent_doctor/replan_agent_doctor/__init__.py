"""Checks a cell before anything moves."""
