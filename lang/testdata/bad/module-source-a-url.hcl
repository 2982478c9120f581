fabric "f" {}
module "m" {
  source = "git::https://example.net/pod.git"  # want bad-value at "\"git::https://example.net/pod.git\"": "not fetched from other places"
}
