fabric "f" {
  mtu = local.mtu
}
cos_grup "rdma" {  # want unknown-block at "cos_grup": "Did you mean \"cos_group\"?"
  cos = 3
}
local {  # want unknown-block at "local": "Did you mean \"locals\"?"
  mtu = 9000
}
roce "r" {
  version   = 2
  cos_group = cos_group.rdma
  members   = ["h"]
}
