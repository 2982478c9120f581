fabric "f" {
  pfc.loops = 1  # want syntax at "pfc": "holds no dot"
}
