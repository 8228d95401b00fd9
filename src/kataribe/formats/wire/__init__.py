"""What programs are shown: every value as plain JSON, made in one place."""
