fabric "f" {}
switch "leaf" {
  names = "leaf[1-2]"
  model = "sn2700"
}
accept "leaf[1-2],laef2" { # want unknown-device at "laef2": "Did you mean \"leaf2\"?"
  differs = ["headroom"]
  reason  = "ticket 4711"
  by      = "ann"
}
