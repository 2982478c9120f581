ssh {
  user = "cumulus"
}

switch "leaf" {
  names   = "leaf[1-4]"
  model   = "sn5600"
  version = "5.11.0"
  tier    = 1

  ssh { address = "198.51.100.${self.index + 21}" }
}

switch "spine" {
  names   = "spine[1-8]"
  model   = "sn5600"
  version = "5.11.0"
  tier    = 2

  ssh { address = "198.51.100.${self.index + 1}" }
}

host "gpu" {
  names = "gpu[01-16]"

  nic "rail1" {
    model = "connectx-7"
    mtu   = 9000
  }
  nic "rail2" {
    model = "connectx-7"
    mtu   = 9000
  }
  nic "rail3" {
    model = "connectx-7"
    mtu   = 9000
  }
  nic "rail4" {
    model = "connectx-7"
    mtu   = 9000
  }

  ssh {
    user    = "root"
    address = "198.51.100.${self.index + 101}"
  }
}
