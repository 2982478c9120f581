fabric "f" {}
switch "s" {
  model      = "sn2700"
  depends_on = []  # want unknown-attribute at "depends_on": "no attribute"
}
