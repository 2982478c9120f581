# background: tor

cos_group "bulk" {
  cos      = 5
  dscp     = ["cs5"]
  lossless = false
  weight   = 20
  ecn {}
}

roce "bulk" {
  cos_group = cos_group.bulk
  cnp       = cos_group.cnp
  members   = ["bulk[1-2]:ens1f0"]
}

roce "training" {
  cnp = cos_group.bulk # want "cnp-shares-group: Roce \"training\" sends its CNPs in cos group \"bulk\", which carries the data of roce \"bulk\""
}

host "bulk" {
  names = "bulk[1-2]"
  nic "ens1f0" { model = "connectx-5" }
}

link "bulk" {
  a = "bulk[1-2]:ens1f0"
  b = "tor1:swp3-4"
}
