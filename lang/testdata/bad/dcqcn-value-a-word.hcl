fabric "f" {}
host "h" {
  nic "eth0" {
    model = "connectx-5"
    dcqcn = { rpg_ai_rate = "fast" }  # want wrong-type at "\"fast\"": "an object of numbers"
  }
}
