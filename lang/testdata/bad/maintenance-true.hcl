fabric "f" {}
host "h" {
  maintenance = true  # want wrong-type at "true": "a reason in quotes"
  nic "ens1f0" { model = "connectx-5" }
}
