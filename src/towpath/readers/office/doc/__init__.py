"""Reader of Word documents from before 2007 (.doc), by the published format MS-DOC."""
