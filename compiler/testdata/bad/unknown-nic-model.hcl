fabric "f" {}
host "gpu1" {
  nic "eth0" { model = "conectx-5" }  # want unknown-model at "\"conectx-5\"": "Did you mean \"connectx-5\"?"
}
