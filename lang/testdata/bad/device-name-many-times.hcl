fabric "f" {}
switch "a" {
  names = "leaf[1-40]"
  model = "sn2700"
}
host "b" {
  names = "leaf[1-40]"  # want duplicate-name at "leaf[1-40]": "40 of these names are taken. The first is \"leaf1\""
}
