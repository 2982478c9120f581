fabric "f" {}
switch "s" {
  count = 4  # want unknown-attribute at "count": "names = \"s[1-4]\""
  model = "sn2700"
}
