"""A planner that asks a model, and checks everything it says."""
