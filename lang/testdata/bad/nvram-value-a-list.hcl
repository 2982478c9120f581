fabric "f" {}
host "h" {
  nic "eth0" {
    model = "connectx-5"
    nvram = { CNP_DSCP = [48] }  # want wrong-type at "[48]": "CNP_DSCP = 48"
  }
}
