"""How likely a plan works, from sampled twins."""
