fabric "f" {}
variable "v" {
  type = object({
    mtu = optional(number, "big")  # want wrong-type at "\"big\"": "number"
  })
  default = {}
}
