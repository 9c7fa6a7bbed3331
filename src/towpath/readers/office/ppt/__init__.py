"""Reader of PowerPoint presentations from before 2007 (.ppt), by the published format MS-PPT."""
