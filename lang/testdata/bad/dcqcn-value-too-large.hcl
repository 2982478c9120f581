fabric "f" {}
host "h" {
  nic "eth0" {
    model = "connectx-5"
    dcqcn = { rpg_ai_rate = 4294967296 }  # want out-of-range at "4294967296": "from 0 to 4294967295"
  }
}
