fabric "f" {}
switch "leaf[1-4]" {  # want bad-name at "\"leaf[1-4]\"": "names = \"leaf[1-4]\""
  model = "sn2700"
}
