fabric "f" {}
switch_model "deep" {
  asic  = "jericho3-ai"  # want unknown-model at "\"jericho3-ai\"": "derives no sizes for the chip: it keeps packets in virtual output queues"
  ports = 32
  speed = "100G"
}
switch_model "next" {
  asic  = "Trident5"  # want unknown-model at "\"Trident5\"": "the size of its cells is not public"
  ports = 32
  speed = "100G"
}
