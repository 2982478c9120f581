fabric "f" {}
variable "v" {
  type    = list(number)
  default = [1, "two"]  # want bad-variable at "\"two\"": "number"
}
