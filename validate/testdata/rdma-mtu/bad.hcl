# background: tor

host "gpu" {
  nic "ens1f0" {
    mtu = 4096 # want "rdma-mtu: An MTU of 4096 leaves no room for RDMA packets of 4096 bytes .*gpu1:ens1f0 and 1 NIC like it will send packets of 2048, twice as many. Write mtu = 4192 or more"
  }
}
