fabric "f" {}
switch "leaf" {
  for_each = toset(["a", "b"])
  names    = "leaf-${each.key}"
  model    = "sn2700"
  tier     = 100  # want out-of-range at "100": "from 1 to 64"
}
