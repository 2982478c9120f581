variable "mtu" { default = 9000 }
fabric "f" {
  mtu = variable.mtu  # want unknown-reference at "variable.mtu": "Write var.mtu"
}
