"""Doors for agents, each bound to one viewer when it is made; what loads a vendor is loaded on use."""
