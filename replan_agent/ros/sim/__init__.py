"""The embedded world behind the interfaces of a real arm."""
