fabric "f" {}
switch "s" {
  model = "sn2700"
  ssh { port = 22 }
  ssh { port = 23 }  # want duplicate-block at "ssh": "can have only one ssh block"
}
