fabric "f" {}
host "gpu1" {
  nic "eth0" {
    model = "connectx-5"
    dcqcn = { rp_ai_rate = 20, cnp_dscp = 48, rpg_gd = 16 }  # want nic-parameter at "rp_ai_rate": "Did you mean \"rpg_ai_rate\"?" # want nic-parameter at "cnp_dscp": "the first DSCP of its group" # want nic-parameter at "16": "0 to 15"
    nvram = { CNP_DSCP_P1 = 48, LINK_TYPE = "IB", NUM_OF_PLANES = 2 }  # want nic-parameter at "CNP_DSCP_P1": "CNP_DSCP" # want nic-parameter at "\"IB\"": "Use ETH" # want nic-parameter at "NUM_OF_PLANES": "multiplane mode"
    stall_prevention = 79  # want nic-parameter at "79": "off, auto or 80 to 8000 ms"
  }
}
