fabric "f" {}
host "h" {
  nic "eth0" {
    model = "connectx-5"
    roce  = off  # want unknown-reference at "off": "Write false"
  }
}
