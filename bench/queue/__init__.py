"""The queue scenario: compares Towpath's database queue with other libraries and with bare SQL."""
