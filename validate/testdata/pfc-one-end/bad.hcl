fabric "rack" {
  cable_length = "3m"
  routing      = "up-down"
}

cos_group "rdma" {
  cos      = 4
  dscp     = ["af31"]
  lossless = true
  ecn {}
}

cos_group "cnp" {
  cos    = 6
  dscp   = ["cs6"]
  strict = true
}

roce "training" {
  version   = 2
  cos_group = cos_group.rdma
  cnp       = cos_group.cnp
  members   = [host.gpu, host.store]
}

switch "tor" {
  names   = "tor[1-2]"
  model   = "sn2700"
  os      = "cumulus-linux"
  version = "4.3.0"
  tier    = 1
}

switch "spine" {
  names = "spine1"
  model = "sn2700"
  tier  = 2
  by_hand {
    pfc = [3] # want "pfc-one-end: spine1 has no PFC for rdma .cos 4.: pfc = .3.. spine1:swp1 carries it. It does not stop when tor1:swp32"
  }
}

host "gpu" {
  names = "gpu[1-2]"
  nic "ens1f0" {
    model = "connectx-5"
  }
}

host "store" {
  names = "store[1-3]"
  nic "ens1f0" {
    model = "e810"
  }
  by_hand {
    flow_control = "pfc-tx" # want "pfc-one-end: store.1-3. have flow_control = .*store1:ens1f0 sends pauses and obeys none; at the other end is tor2:swp1"
  }
}

link "hosts" {
  a     = "gpu[1-2]:ens1f0,store[1-3]:ens1f0"
  b     = "tor1:swp[1-2],tor2:swp[1-3]"
  speed = "25G"
}

mesh "uplinks" {
  lower = "tor[1-2]:swp32"
  upper = "spine1:swp[1-2]"
}
