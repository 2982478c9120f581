fabric "f" {}
host "gpu1" {
  nic "eth0" { model = "MCX354A" }  # want unknown-model at "\"MCX354A\"": "connectx-3-pro"
}
