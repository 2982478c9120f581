fabric "f" {}
cos_group "g" {
  cos = 1
  pfc {
    xoff = "90cells"  # want wrong-unit at "\"90cells\"": "units B, KiB, MiB and GiB."
  }
}
