"""A planner without a model: a search over what the skills do."""
