# background: tor
# no switch.tor, no host.gpu, no link.hosts

roce "training" {
  members = [host.near]
}

roce "compute" {
  cnp     = cos_group.cnp
  members = [host.far]
}

switch "near" {
  names = "near1"
}

switch "far" {
  names = "far1"
}

host "near" {
  names = "near-gpu[1-2]"
  nic "ens1f0" { model = "connectx-5" }
}

host "far" {
  names = "far-gpu[1-2]"
  nic "ens1f0" { model = "connectx-6-dx" }
}

link "near" {
  a      = "near-gpu[1-2]:ens1f0"
  b      = "near1:swp[1-2]"
  speed  = "100G"
  length = "999m" # want "nic-headroom: near-gpu1:ens1f0 and 1 NIC like it each need .*NVIDIA ConnectX-5 has 262,016 B"
}

link "far" {
  a      = "far-gpu[1-2]:ens1f0"
  b      = "far1:swp[1-2]"
  speed  = "25G"
  length = "1200m" # want "nic-headroom: far-gpu1:ens1f0 .*at most 999 m of cable"
}
