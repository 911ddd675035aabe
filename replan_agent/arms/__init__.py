"""Arms as values: each is one `ArmModel`. Nobody outside knows which one it has."""
