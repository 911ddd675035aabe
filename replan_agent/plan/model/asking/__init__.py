"""How a model is asked: in which way, with which prompt, and how often."""
