fabric "f" {}
host "h" {
  nic "a/b" { model = "connectx-5" }  # want bad-name at "a/b": "not an interface name"
}
