fabric "f" {}
host "h" {
  nic "ens[1-2]f0" { model = "connectx-5" }
  bond "bond0" {
    nics = ["ens1f0", "ens2f0"]
    mode = "lacp"  # want out-of-range at "\"lacp\"": "802.3ad"
  }
}
