fabric "f" {}
nic_model "lab" {
  family = "homegrown"  # want unknown-model at "\"homegrown\"": "Use one of bnxt"
  speed  = "25G"
}
