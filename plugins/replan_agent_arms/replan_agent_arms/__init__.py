"""Arms that a small file beside a URDF or MJCF describes."""
