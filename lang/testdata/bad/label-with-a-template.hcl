fabric "f" {}
switch "leaf${1}" {  # want syntax at "${": "This text must be a literal"
  model = "sn2700"
}
