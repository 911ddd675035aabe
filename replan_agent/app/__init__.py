"""Puts the pieces together: configuration, composition, command line."""
