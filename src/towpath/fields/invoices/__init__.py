"""Fields of invoices and receipts: supplier, number, dates and amounts by their place on the page."""
