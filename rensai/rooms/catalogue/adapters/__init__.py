"""Outside formats that the catalogue takes in."""
