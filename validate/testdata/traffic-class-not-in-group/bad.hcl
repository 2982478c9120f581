# background: by-hand

cos_group "bulk" {
  cos  = 1
  dscp = ["cs1"]
}

host "gpu" {
  nic "ens1f0" {
    ip = "192.0.2.${self.index + 1}/24"
    traffic_class {
      tos = 16 # want "traffic-class-not-in-group: gpu.1-2.:ens1f0 mark the traffic of this traffic_class with tos = 16. That is DSCP 4, which no"
      dst = "192.0.2.0/24"
    }
    traffic_class {
      tos = 32 # want "traffic-class-not-in-group: gpu.1-2.:ens1f0 mark .* That is DSCP 8 .cs1., of the lossy cos group .bulk."
      dst = "192.0.2.11/32"
    }
  }
}

host "store" {
  nic "ens1f0" {
    ip = "192.0.2.${self.index + 11}/24"
  }
}
