# background: tor

cos_group "storage" {
  cos      = 5
  dscp     = ["af41"]
  lossless = true
  ecn {}
}

roce "storage" {
  cos_group = cos_group.storage
  cnp       = cos_group.cnp
}

host "gpu" {
  nic "ens1f0" {
    model = "e810" # want "nic-pfc-classes: gpu1:ens1f0 and 1 NIC like it are in 2 lossless cos groups, and a port of the Intel E810 has 1 class with PFC"
  }
  by_hand {
    flow_control = "pfc"
    dcbx         = "host"
  }
}
