# The classes of service every fabric of the company uses.

cos_group "rdma" {
  cos      = 3
  dscp     = ["af31"]
  lossless = true
  weight   = 60
  ecn {}
}

cos_group "cnp" {
  cos    = 6
  dscp   = ["cs6"]
  strict = true
}

cos_group "default" {
  cos    = 0
  weight = 40
}

output "rdma" {
  value       = cos_group.rdma
  description = "Lossless, marked by ECN, PFC as the backstop."
}

output "cnp" {
  value       = cos_group.cnp
  description = "Congestion notification packets."
}
