"""Files of role-play programs: character cards, and lorebooks."""
