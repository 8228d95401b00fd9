"""What is of SQLite alone: opening a file, saying what is wrong with it, copying it, writing in turns."""
