"""Books, as word processors and publishers write them, turned into a manuscript's text."""
