fabric "f" {}
variable "v" {
  type    = list(string, number)  # want wrong-type at "number": "one type"
  default = []
}
