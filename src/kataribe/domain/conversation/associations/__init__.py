"""What goes with what in a conversation, and how activation spreads over it."""
