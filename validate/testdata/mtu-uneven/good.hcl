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
    mtu   = 4200
  }
}

link "stores" {
  a = "store[1-3]:ens2f0"
  b = "tor1:swp3-5"
}
