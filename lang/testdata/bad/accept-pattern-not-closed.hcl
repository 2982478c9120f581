fabric "f" {}
switch "leaf1" { model = "sn2700" }
accept "leaf1, spine[*" { # want bad-label at "spine[*": "A bracket is missing."
  differs = ["headroom"]
  reason  = "ticket 4711"
  by      = "ann"
}
