"""Microsoft Azure: Document Intelligence reads documents."""
