"""The command `calibrate`."""
