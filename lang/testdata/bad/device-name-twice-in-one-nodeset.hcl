fabric "f" {}
switch "a" {
  names = "leaf[1-4],leaf2"  # want duplicate-name at "leaf2": "two devices named \"leaf2\""
  model = "sn2700"
}
