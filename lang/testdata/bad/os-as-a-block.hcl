fabric "f" {}
switch "s" {
  model = "sn2700"
  os {}  # want unknown-block at "os": "os = ..."
}
