"""Contracts of the ports, plainly right references and fakes, for anybody who writes a back end."""
