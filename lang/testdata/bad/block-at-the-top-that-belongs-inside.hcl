fabric "f" {}
nic "eth0" {  # want unknown-block at "nic": "A nic block stands in a host block"
  model = "connectx-5"
}
