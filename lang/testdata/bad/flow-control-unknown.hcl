fabric "f" {
  flow_control = "PFC"  # want out-of-range at "\"PFC\"": "Did you mean \"pfc\"?"
}
