"""Values and pure rules: no store, model, clock or framework is known here."""
