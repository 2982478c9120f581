fabric "f" {}
host "h" {
  nic "eth0" {
    model = "connectx-5"
    nvram = { AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA = 1 }  # want out-of-range at "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA": "at most 64 characters"
  }
}
