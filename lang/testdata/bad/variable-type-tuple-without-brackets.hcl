fabric "f" {}
variable "v" {
  type    = tuple(string)  # want wrong-type at "string": "tuple(["
  default = ["a"]
}
