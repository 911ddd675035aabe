"""Measures success rates and speed."""
