"""What failed earlier, and what helped."""
