"""Names of what only the simulation has."""

TRUTH = 'sim/ground_truth'
