"""Scene files: what stands where in a simulated world."""
