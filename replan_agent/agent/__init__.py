"""The loop, its states and budgets, and the ports it knows the world by."""
