"""Webhooks: checks the addresses of receivers, signs messages and delivers them."""
