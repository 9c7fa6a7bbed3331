"""Azure Document Intelligence: reads documents as a long-running operation."""
