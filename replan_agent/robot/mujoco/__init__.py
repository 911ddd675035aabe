"""The embedded world: a Franka, its table and a camera in MuJoCo."""
