"""What a model says: its calls, its habits of form, and the plan in them."""
