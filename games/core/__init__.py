"""The contract every game fulfils: moves and offers, turns, the record, chance, laws."""
