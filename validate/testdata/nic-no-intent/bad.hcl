# background: clos

host "gpu" {
  nic "ens1f0" { model = "connectx-5" }
  nic "ens2f0" { model = "connectx-5" } # want "nic-no-intent: gpu.1-4.:ens2f0 are in no roce block"
}

link "second" {
  a     = "gpu[1-4]:ens2f0"
  b     = "leaf[1-4]:swp3"
  speed = "100G"
}

roce "training" {
  members = ["gpu[1-4]:ens1f0", host.store]
}
