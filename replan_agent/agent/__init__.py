"""The agent's loop, its states and budgets, and the ports that connect it to the world."""
