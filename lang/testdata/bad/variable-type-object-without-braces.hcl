fabric "f" {}
variable "v" {
  type    = object(a = string)  # want syntax at "=": "comma or a closing bracket"
  default = {}
}
