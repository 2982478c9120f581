fabric "f" {}
host "gpu1" {
  nic "ens1f0" { model = "connectx-5" }
  nic "ens2f0" { model = "connectx-4" }
  bond "bond0" {  # want bond-invalid at "bond \"bond0\"": "the two ports of one card"
    nics = ["ens1f0", "ens2f0"]
  }
}
