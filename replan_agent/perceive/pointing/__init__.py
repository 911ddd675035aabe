"""A model points at what colour and shape cannot name."""
