fabric "f" {}
host "h" {
  nic "eth0" {
    model = "connectx-5"
    dcqcn = 5  # want wrong-type at "5": "rpg_ai_rate = 20"
  }
}
