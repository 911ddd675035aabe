"""Names that only the simulation has."""

TRUTH = 'sim/ground_truth'
