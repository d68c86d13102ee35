"""One file for each revision, oldest first. What is here has run somewhere: it is never changed."""
