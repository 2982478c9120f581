fabric "f" {}
switch "leaf${1}" {  # want syntax at "${": "This text is fixed"
  model = "sn2700"
}
