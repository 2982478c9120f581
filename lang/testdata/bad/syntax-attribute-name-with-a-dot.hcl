fabric "f" {
  pfc.loops = 1  # want syntax at "pfc": "cannot contain a dot"
}
