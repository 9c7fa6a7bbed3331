"""The reading scenario: what is made of files, compared with ground truth and with other open tools."""
