fabric "f" {}
switch "leaf1" { model = "sn2700" }
accept "leaf1" {
  differs = ["pfc"] # want out-of-range at "\"pfc\"": "Expected one of"
  reason  = "ticket 4711"
  by      = "ann"
}
