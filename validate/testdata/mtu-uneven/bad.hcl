# background: tor

roce "training" {
  members = [host.gpu, host.store]
}

host "gpu" {
  nic "ens1f0" {
    mtu = 9000
  }
}

host "store" {
  names = "store[1-3]"
  nic "ens2f0" {
    model = "connectx-5"
    mtu   = 2200 # want "mtu-uneven: store1:ens2f0 has an MTU of 2200 and so RDMA packets of 2048 bytes, gpu1:ens1f0 has 9000 and 4096.*3 of 5 have the smaller"
  }
}

link "stores" {
  a = "store[1-3]:ens2f0"
  b = "tor1:swp3-5"
}
