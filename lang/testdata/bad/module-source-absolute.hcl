fabric "f" {}
module "m" {
  source = "/fabrics/pod"  # want bad-value at "\"/fabrics/pod\"": "begins with \"./\" or \"../\""
}
