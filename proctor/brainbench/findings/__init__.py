"""What is odd about a transcript that its schema accepts."""
