fabric "f" {}
host "h" {
  nic "eth0" { model = "connectx-5" }
  bond "waytoolonginterfacename" {  # want bad-name at "\"waytoolonginterfacename\"": "23 characters"
    nics = ["eth0"]
  }
}
