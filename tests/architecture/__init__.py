"""Rules of the building, each with its reason and a sabotage that it must catch."""
