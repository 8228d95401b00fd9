"""A user's data as one zip that a person can read: pages of Markdown, and tables for programs."""
