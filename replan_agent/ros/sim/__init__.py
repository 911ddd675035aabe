"""The embedded world, with the interfaces of a real arm."""
