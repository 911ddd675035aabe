"""A run for people and programs: the table, the plot and the JSON file."""
