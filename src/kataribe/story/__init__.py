"""Stories: episodes, casts and facts, and what each character may remember of them."""
