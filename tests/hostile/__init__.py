"""Programs, files and pickles made to get something executed or read."""
