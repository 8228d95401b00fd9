"""The author's desk: everything that changes a story's inputs."""
