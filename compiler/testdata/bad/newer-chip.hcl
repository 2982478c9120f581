fabric "f" {}
switch_model "next" {
  asic  = "tomahawk7"  # want unknown-model at "\"tomahawk7\"": "looks newer than this rocec knows"
  ports = 32
  speed = "100G"
}
