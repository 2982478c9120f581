fabric "f" {}
host "h" {
  nic "ens[1-2]f0" { model = "connectx-5" }
  nic "ens2f0" { model = "connectx-5" }  # want duplicate-name at "ens2f0": "two interfaces named \"ens2f0\""
}
