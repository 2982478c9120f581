# background: tor

host "gpu" {
  nic "ens1f0" {
    model = "soft-roce" # want "nic-no-pfc: gpu1:ens1f0 and 1 NIC like it are in the lossless cos group \"rdma\" of roce \"training\", and Soft-RoCE has no PFC"
  }
  by_hand {}
}

link "hosts" {
  speed = "25G"
}
