fabric "f" {
  mtu 9000  # want syntax at "mtu": "Write mtu = ..."
}
cos_group "g" {
  cos = ]  # want syntax at "]": "A value is expected"
}
