fabric "f" {}
host "h" {
  nic "bond0" { model = "connectx-5" }
  bond "bond0" {  # want duplicate-name at "bond0": "two interfaces"
    nics = ["bond0"]
  }
}
