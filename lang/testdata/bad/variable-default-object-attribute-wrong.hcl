fabric "f" {}
variable "v" {
  type = map(object({
    mtu = number
  }))
  default = {
    a = { mtu = "x" }  # want bad-variable at "\"x\"": "number"
  }
}
