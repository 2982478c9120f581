variable "mtu" { default = 9000 }
fabric "f" {
  mtu = var.mtuu  # want unknown-reference at "var.mtuu": "Did you mean \"mtu\"?"
}
