fabric "f" {}
switch "leaf1" { model = "sn2700" }
accept "leaf*" {
  differs = ["headroom", "share"] # want out-of-range at "\"share\"": "Did you mean \"shares\"?"
  reason  = "ticket 4711"
  by      = "ann"
}
