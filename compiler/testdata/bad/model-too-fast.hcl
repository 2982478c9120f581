fabric "f" {}
switch_model "lab" {
  asic  = "spectrum"
  ports = 32
  speed = "800G"  # want model-invalid at "\"800G\"": "at most"
}
