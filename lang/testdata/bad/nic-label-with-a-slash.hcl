fabric "f" {}
host "h" {
  nic "a/b" { model = "connectx-5" }  # want bad-name at "a/b": "no interface name"
}
