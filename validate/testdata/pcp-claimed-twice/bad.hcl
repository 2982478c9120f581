# background: tor
# no cos_group.rdma, no cos_group.cnp, no roce.training

cos_group "storage" {
  cos      = 4
  lossless = true
}

cos_group "bulk" {
  cos = 1
  pcp = [1, 4] # want "pcp-claimed-twice: Cos groups \"storage\" and \"bulk\" both claim 802.1p priority 4"
}

roce "nvme" {
  version   = 1
  cos_group = cos_group.storage
  vlan      = 100
}
