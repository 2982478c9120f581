fabric "f" {}
cos_group "g" { cos = 1 }
host "gpu" { names = "gpu[001-004]" }
roce "r" {
  version   = 2
  cos_group = cos_group.g
  members   = [host.gpu001]  # want unknown-reference at "host.gpu001": "Write \"gpu001\" in quotes"
}
