"""The handles of programs with an event loop: every verb is a coroutine."""
