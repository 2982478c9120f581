# background: clos

switch "spine" {
  names = "spine[1-4]" # want "switch-not-cabled: spine.3-4. have no cable"
}
