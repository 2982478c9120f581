fabric "f" {}
variable "v" {
  type    = list  # want wrong-type at "list": "list(string)"
  default = []
}
