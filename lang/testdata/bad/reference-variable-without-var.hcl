variable "mtu" { default = 9000 }
fabric "f" {
  mtu = mtu  # want unknown-reference at "mtu": "Write var.mtu"
}
