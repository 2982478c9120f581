# background: tor

host "gpu" {
  names = "gpu[1-4]"
  nic "ens1f0" {
    ip = "192.0.2.${self.index % 2 + 1}/24" # want "ip-duplicate: gpu3:ens1f0 has the address of gpu1:ens1f0, 192.0.2.1 .and 1 NIC more like it."
  }

  nic "ens2f0" {
    model       = "connectx-5"
    create_vlan = true # want "ip-duplicate: gpu2:ens2f0 has the address of gpu1:ens2f0, 198.51.100.1 .and 2 NICs more like it."
    vlan_ip     = "198.51.100.1/24"
  }
}

link "hosts" {
  a = "gpu[1-4]:ens1f0"
  b = "tor1:swp1-4"
}

cos_group "storage" {
  cos      = 5
  lossless = true
}

roce "nvme" {
  version   = 1
  cos_group = cos_group.storage
  vlan      = 100
  members   = ["gpu[1-4]:ens2f0"]
}

link "storage" {
  a = "gpu[1-4]:ens2f0"
  b = "tor1:swp11-14"
}

roce "training" { members = ["gpu[1-4]:ens1f0"] }
