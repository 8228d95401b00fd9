"""The way of all that is made: due -> claim -> gather -> make -> embed -> commit."""
