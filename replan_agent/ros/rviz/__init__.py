"""What RViz and Foxglove draw."""
