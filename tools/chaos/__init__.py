"""Faults on a graph of processes, and what came of them."""
