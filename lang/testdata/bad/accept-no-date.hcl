fabric "f" {}
switch "leaf1" { model = "sn2700" }
accept "leaf1" {
  differs = ["headroom"]
  reason  = "ticket 4711"
  by      = "ann"
  until   = "2027-02-30" # want bad-value at "\"2027-02-30\"": "this is not a date"
}
