"""Reader of mail messages (.eml)."""
