fabric "f" {}
switch "leaf1" {
  model   = "sn2700"
  os      = "sonic"
  version = "202505"
  preset  = "keep"  # want config-invalid at "\"keep\"": "on SONiC. Delete preset"
}
