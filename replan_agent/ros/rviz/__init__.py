"""Markers for RViz and Foxglove."""
