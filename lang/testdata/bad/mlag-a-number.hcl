fabric "f" {}
switch "s" {
  model = "sn2700"
  mlag  = 1  # want wrong-type at "1": "Write it in quotes: \"1\"."
}
