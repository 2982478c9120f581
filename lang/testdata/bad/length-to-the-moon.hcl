fabric "f" {
  cable_length = "384400km"  # want out-of-range at "\"384400km\"": "at most 100 km"
}
