fabric "f" {}
host "gpu1" {
  nic "ens1f[0-1]" { model = "connectx-5" }
  bond "bond0" {
    nics = ["ens1f0", "ens1f1"]
  }
  bond "bond1" {
    nics = ["ens1f0", "ens1f1"]  # want bond-invalid at "ens1f0": "already" want bond-invalid at "ens1f1": "already"
  }
}
