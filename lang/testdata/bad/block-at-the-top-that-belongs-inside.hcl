fabric "f" {}
nic "eth0" {  # want unknown-block at "nic": "A nic block must be inside a host block"
  model = "connectx-5"
}
