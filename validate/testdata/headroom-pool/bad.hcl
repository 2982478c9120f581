# background: tor
# no switch.tor, no host.gpu, no link.hosts

fabric "rack" {
  cable_length = "30m"
}

roce "training" {
  members = [host.left]
}

roce "inference" {
  cnp     = cos_group.cnp
  members = [host.right]
}

roce "compute" {
  cnp     = cos_group.cnp
  members = [host.far]
}

switch "near" {
  names         = "near1"
  headroom_pool = "1MiB" # want "headroom-pool: .*the pool covers 13 of 32 port buffers at once"
}

switch "far" {
  names         = "far1"
  headroom_pool = "64KiB" # want "headroom-pool: .*even a single pause loses frames"
}

host "left" {
  names = "left[1-16]"
  nic "ens1f0" { model = "connectx-6-dx" }
}

host "right" {
  names = "right[1-16]"
  nic "ens1f0" { model = "connectx-6-dx" }
}

host "far" {
  names = "far-gpu[1-2]"
  nic "ens1f0" { model = "connectx-6-dx" }
}

link "left" {
  a     = "left[1-16]:ens1f0"
  b     = "near1:swp[1-16]"
  speed = "100G"
}

link "right" {
  a     = "right[1-16]:ens1f0"
  b     = "near1:swp[17-32]"
  speed = "100G"
}

link "far" {
  a     = "far-gpu[1-2]:ens1f0"
  b     = "far1:swp[1-2]"
  speed = "100G"
}
