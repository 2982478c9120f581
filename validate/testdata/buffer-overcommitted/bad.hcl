# background: tor
# no switch.tor, no host.gpu, no link.hosts

cos_group "storage" {
  cos      = 3
  dscp     = ["af21"]
  lossless = true
  pfc {
    buffer = "1MiB" # want "buffer-overcommitted: far1 and 1 switch like it have each .*16 lossless buffers reserve .*more than the chip has"
  }
  ecn {}
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

roce "nvme" {
  cos_group = cos_group.storage
  cnp       = cos_group.cnp
  members   = [host.far]
}

switch "near" {
  names = "near1"
  model = "sn2700" # want "buffer-overcommitted: near1 has 13,945,824 B of packet buffer .*32 lossless buffers reserve .*remain shared, 12 % of the memory"
}

switch "far" {
  names = "far[1-2]"
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
  names = "far-gpu[1-30]"
  nic "ens1f0" { model = "connectx-6-dx" }
}

link "left" {
  a      = "left[1-16]:ens1f0"
  b      = "near1:swp[1-16]"
  speed  = "100G"
  length = "999m"
}

link "right" {
  a      = "right[1-16]:ens1f0"
  b      = "near1:swp[17-32]"
  speed  = "100G"
  length = "999m"
}

link "far" {
  a     = "far-gpu[1-30]:ens1f0"
  b     = "far[1-2]:swp[1-15]"
  speed = "100G"
}

link "between" {
  a     = "far1:swp32"
  b     = "far2:swp32"
  speed = "100G"
}
