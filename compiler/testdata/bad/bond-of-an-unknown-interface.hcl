fabric "f" {}
host "gpu1" {
  nic "ens1f[0-1]" { model = "connectx-5" }
  bond "bond0" {
    nics = ["ens1f0", "ens1f2"]  # want unknown-interface at "ens1f2": "no nic block \"ens1f2\""
  }
}
