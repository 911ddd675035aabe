"""The skills, one file each."""
