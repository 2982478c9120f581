fabric "f" {}
host "h" {
  nic "eth0" {
    model = "connectx-5"
    traffic_class {}  # want missing-attribute at "traffic_class": "needs tos"
  }
}
