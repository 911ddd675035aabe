"""A model points at objects that colour and shape cannot name."""
