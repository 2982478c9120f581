# background: ring

fabric "ring" {
  routing = "shortest-path" # want "pfc-loop: "
}

cos_group "rdma" {
  allow_deadlock = "a lab, reset every night" # want "pfc-watchdog: Cos group \"rdma\" accepts a PFC loop"
}
