"""The face: one handle for each thing that a program holds, asynchronous, and the same waited for."""
