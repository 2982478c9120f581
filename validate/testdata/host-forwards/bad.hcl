# background: tor

roce "training" {
  members = [host.gpu, host.gateway]
}

host "gateway" {
  names    = "gateway1"
  forwards = true # want "host-forwards: gateway1 passes on traffic of others and is in roce \"training\" too, whose cos group \"rdma\" is lossless"
  nic "ens1f0" { model = "connectx-5" }
}

link "gateway" {
  a = "gateway1:ens1f0"
  b = "tor1:swp9"
}
