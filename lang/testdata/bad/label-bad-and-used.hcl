fabric "f" {}
cos_group "rdma-traffic-of-the-storage-and-more" {  # want bad-name at "\"rdma-traffic-of-the-storage-and-more\"": "1 to 32"
  cos = 3
}
roce "r" {
  version   = 2
  cos_group = cos_group.rdma-traffic-of-the-storage-and-more
  members   = ["h"]
}
