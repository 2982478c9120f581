fabric "f" {}
host "h" {
  nic "eth0" {
    model = "connectx-5"
    dcqcn = { rpg_ai_rate = 1.5 }  # want out-of-range at "1.5": "a whole number"
  }
}
