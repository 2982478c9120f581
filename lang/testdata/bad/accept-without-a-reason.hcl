fabric "f" {}
switch "leaf1" { model = "sn2700" }
accept "leaf1" { # want missing-attribute at "accept \"leaf1\"": "needs reason"
  differs = ["headroom"]
  by      = "ann"
}
