"""The arm and the camera: protocols, and the worlds that implement them."""
