"""The store behind HTTP: routes made of the verbs, each open to the scopes that its mark admits."""
