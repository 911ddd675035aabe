"""REPLAN: what a failure means and what to do about it."""
