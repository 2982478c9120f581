fabric "f" {}
host "gpu" {
  names = "gpu[1-2]"
  nic "eth0" { model = "connectx-5" }
}
link "l" {
  a = "gpu1:eth0"
  b = "gpu2:eth0"  # want link-between-hosts at "gpu2:eth0": "forwards"
}
