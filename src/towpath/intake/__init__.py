"""Receives uploads, detects their media type and submits them as documents."""
