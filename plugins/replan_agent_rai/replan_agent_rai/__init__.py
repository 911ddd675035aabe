"""RAI's manipulation scenarios in our world, scored by RAI's own code."""
