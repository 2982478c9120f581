fabric "f" {}
host "gpu1" {
  nic "eth0" {
    model = "soft-roce"
    dcqcn = { rpg_ai_rate = 20 }  # want nic-parameter at "rpg_ai_rate": "driver rxe"
    nvram = { CNP_DSCP = 48 }  # want nic-parameter at "CNP_DSCP": "driver rxe"
    stall_prevention = "auto"  # want nic-parameter at "\"auto\"": "driver rxe"
  }
}
