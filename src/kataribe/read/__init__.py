"""From a viewer and a question to hits: gate, plan, candidates, score, guard."""
