"""The queue scenario: what Towpath's database queue costs and gains against its peers and bare SQL."""
