variable "v" {
  type    = number
  default = "lots"  # want bad-variable at "\"lots\"": "number"
}
fabric "f" {
  mtu = var.v
}
