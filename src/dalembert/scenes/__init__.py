"""What mechanisms look like: surfaces, scenes that move, a renderer, films and pages; knows no results."""
