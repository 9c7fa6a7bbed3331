"""Access control: API keys and the audit log."""
