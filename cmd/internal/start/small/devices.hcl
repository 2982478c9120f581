# What the fabric is made of. A string such as "leaf[01-04]" names four devices.

switch "leaf" {
  names   = "leaf[01-04]"
  model   = "sn2700" # decides ports, chip and buffer
  os      = "cumulus-linux"
  version = "4.3.0" # decides how settings are spelt
  tier    = 1       # height: hosts hang on tier 1
}

switch "spine" {
  names   = "spine[01-02]"
  model   = "sn2700"
  os      = "cumulus-linux"
  version = "4.3.0"
  tier    = 2
}

host "gpu" {
  names = "gpu[01-08]"

  nic "ens1f0" { # the network interface that speaks RoCE; repeat the block for more
    model = "connectx-5"
    mtu   = 9000
  }
}

# How rocec logs in. What is left out comes from ~/.ssh/config; a device may have an ssh block of its own.
ssh {
  user = "cumulus"
}
