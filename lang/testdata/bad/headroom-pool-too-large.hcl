fabric "f" {}
switch "s" {
  model         = "sn2700"
  headroom_pool = "2000GiB"  # want out-of-range at "\"2000GiB\"": "at most 1024 GiB"
}
