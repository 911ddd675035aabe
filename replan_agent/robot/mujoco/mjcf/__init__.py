"""The MuJoCo model of arm and scene, written by code."""
