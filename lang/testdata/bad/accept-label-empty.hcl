fabric "f" {}
switch "leaf1" { model = "sn2700" }
accept "" { # want bad-label at "": "The name of a device is missing"
  differs = ["headroom"]
  reason  = "ticket 4711"
  by      = "ann"
}
