fabric "f" {}
host "gpu1" {
  nic "ens1f0" { model = "connectx-5" }
  bond "bond0" {  # want bond-invalid at "bond \"bond0\"": "two ports"
    nics = ["ens1f0"]
  }
}
