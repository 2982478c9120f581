fabric "f" {}
host "h" {
  for_each = toset(["a", "b"])
  names    = "host1"  # want duplicate-name at "host1": "in two instances of the block"
}
