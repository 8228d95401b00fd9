"""The key store in a file of its own, and the seal by AES-256-GCM."""
