fabric "f" {
  written_by = "other"  # want out-of-range at "\"other\"": "others"
}
host "h" {
  written_by = true  # want wrong-type at "true": "rocec"
  nic "ens1f0" { model = "connectx-5" }
}
