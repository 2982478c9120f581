fabric "f" {}
variable "v" {
  type    = map()  # want wrong-type at "map()": "map(string)"
  default = {}
}
