fabric "f" {}
switch "s" {
  model = "sn2700"
  ssh { host_key = "SHA256:short" }  # want bad-value at "\"SHA256:short\"": "ssh-keygen"
}
