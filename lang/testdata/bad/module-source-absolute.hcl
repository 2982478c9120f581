fabric "f" {}
module "m" {
  source = "/srv/pod"  # want bad-value at "\"/srv/pod\"": "begins with \"./\" or \"../\""
}
