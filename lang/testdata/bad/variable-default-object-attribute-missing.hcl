fabric "f" {}
variable "v" {
  type = object({
    name = string
    mtu  = number
  })
  default = { name = "a" }  # want bad-variable at "{ name = \"a\" }": "\"mtu\""
}
