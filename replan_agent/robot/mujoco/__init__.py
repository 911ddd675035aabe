"""The embedded world: an arm, its table and a camera in MuJoCo."""
