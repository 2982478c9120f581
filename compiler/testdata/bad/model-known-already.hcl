fabric "f" {}
switch_model "sn2700" {  # want model-invalid at "switch_model \"sn2700\"": "already"
  asic  = "spectrum"
  ports = 32
  speed = "100G"
}
