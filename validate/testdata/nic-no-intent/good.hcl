# background: clos

host "gpu" {
  nic "ens1f0" { model = "connectx-5" }
  nic "ens2f0" {
    model = "connectx-5"
    roce  = false
  }
  nic "ens3f0" { model = "connectx-5" } # not cabled
}

link "second" {
  a     = "gpu[1-4]:ens2f0"
  b     = "leaf[1-4]:swp3"
  speed = "100G"
}

roce "training" {
  members = ["gpu[1-4]:ens1f0", host.store]
}
