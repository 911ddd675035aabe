"""Rows of the recovery benchmark whose faults nobody built a mechanism for."""
