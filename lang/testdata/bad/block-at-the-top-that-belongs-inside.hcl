fabric "f" {}
nic "eth0" {  # want unknown-block at "nic": "A nic block belongs in a host block"
  model = "connectx-5"
}
