"""Blob storage: originals, artifacts and cached answers, as local files or in Azure."""
