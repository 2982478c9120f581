fabric "f" {}
switch "a" {
  names = "leaf[1-4]"
  model = "sn2700"
}
switch "b" {
  names = "leaf[4-5]"  # want duplicate-name at "leaf[4-5]": "two devices named \"leaf4\""
  model = "sn2700"
}
