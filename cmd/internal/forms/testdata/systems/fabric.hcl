# One switch, and hosts that people set by hand, each with another system.
fabric "lab" {
  cable_length = "3m"
  mtu          = 9216
}

cos_group "storage" {
  cos      = 4
  dscp     = ["af41"]
  lossless = true
  weight   = 50
  ecn {}
}

cos_group "vlan" {
  cos      = 3
  pcp      = [3]
  lossless = true
  weight   = 25
}

cos_group "cnp" {
  cos    = 6
  dscp   = ["cs6"]
  strict = true
}

roce "smb" {
  version   = 2
  cos_group = cos_group.storage
  cnp       = cos_group.cnp
  members   = [host.win, host.esx, host.ef, host.fs, host.mi, host.lab]
}

roce "v1" {
  version   = 1
  cos_group = cos_group.vlan
  vlan      = 100
  members   = [host.old, host.st]
}

switch "tor" {
  model   = "sn2700"
  version = "4.3.0"
}

host "win" {
  names = "win[1-2]"
  nic "Storage[1-2]" {
    model = "connectx-5"
    mtu   = 9000
  }
  by_hand {
    system = "windows"
    dscp   = { 40 = 4 }
  }
}

host "old" {
  names = "old[1-2]"
  nic "Ethernet2" {
    model = "connectx-3-pro"
    mtu   = 1500
  }
  by_hand { system = "windows" }
}

host "esx" {
  names = "esx[1-2]"
  nic "vmnic4" {
    model = "connectx-6-dx"
    mtu   = 9000
  }
  by_hand { system = "esxi" }
}

host "ef" {
  names = "ef[1-2]"
  nic "port[1-2]" {
    model = "connectx-5"
    mtu   = 4200
  }
  by_hand { system = "netapp-e-series" }
}

host "fs" {
  names = "fs[1-2]"
  nic "port1" {
    model = "connectx-5"
    mtu   = 9000
  }
  by_hand { system = "ibm-flashsystem" }
}

host "mi" {
  names = "mi[1-2]"
  nic "benic1p1" {
    model = "pollara-400"
    mtu   = 9000
  }
  by_hand { system = "linux" }
}

host "lab" {
  names = "lab[1-2]"
  nic "ens3f0" {
    model = "fastlinq-45000"
    mtu   = 9000
  }
  by_hand { system = "linux" }
}

host "st" {
  names = "st[1-2]"
  nic "ens3f0" {
    model = "fastlinq-45000"
    mtu   = 1500
  }
  by_hand { system = "linux" }
}

link "hosts" {
  a     = "win[1-2]:Storage[1-2],old[1-2]:Ethernet2,esx[1-2]:vmnic4,ef[1-2]:port[1-2],fs[1-2]:port1,mi[1-2]:benic1p1,lab[1-2]:ens3f0,st[1-2]:ens3f0"
  b     = "tor:swp[1-20]"
  speed = "25G"
}
