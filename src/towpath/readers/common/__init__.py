"""What readers of several formats share: markdown writer, safe zip and XML, tables and text decoding."""
