"""The writer's views: author reads over all viewers. No viewer's door leads here."""
