fabric "f" {}
cos_group "g" { cos = 1 }
switch "s" { model = "sn2700" }
roce "r" {
  version   = 1
  cos_group = cos_group.g
  members   = [switch.s]  # want wrong-type at "switch.s": "the block switch.s"
}
