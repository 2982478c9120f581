fabric "f" {}
host "h" {
  bond "bond0" {
    nics = ["ens1f0", "en/s"]  # want bad-name at "en/s": "not an interface name"
  }
}
