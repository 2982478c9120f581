# background: tor

roce "training" { # want "speed-step: Members of roce \"training\" have ports of 100G .gpu1:ens1f0, of host \"gpu\". and of 25G .store1:ens2f0, of host \"store\""
  members = [host.gpu, host.store]
}

host "store" {
  names = "store1"
  nic "ens2f0" { model = "connectx-4-lx" }
}

link "stores" {
  a     = "store1:ens2f0"
  b     = "tor1:swp3"
  speed = "25G"
}
