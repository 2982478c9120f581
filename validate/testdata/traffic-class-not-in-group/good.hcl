# background: by-hand

cos_group "bulk" {
  cos  = 1
  dscp = ["cs1"]
}

host "gpu" {
  nic "ens1f0" {
    ip = "192.0.2.${self.index + 1}/24"
    traffic_class {
      tos = 104
      dst = "192.0.2.0/24"
    }
    traffic_class {
      tos = 32
      dst = "198.51.100.0/24"
    }
  }
}

host "store" {
  nic "ens1f0" {
    traffic_class {
      tos = 32
      dst = "192.0.2.1/32"
    }
  }
}
