fabric "f" {}
host "gpu1" {
  nic "eth0" { model = "connectx-10" }  # want unknown-model at "\"connectx-10\"": "newer than this rocec knows: describe it by `nic_model`"
}
