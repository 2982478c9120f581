fabric "f" {}
host "h" {
  for_each = toset(["a", "b"])
  names    = "host1"  # want duplicate-name at "host1": "by two instances of the block"
}
