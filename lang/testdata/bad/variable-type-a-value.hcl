fabric "f" {}
variable "v" {
  type    = 5  # want wrong-type at "5": "no type"
  default = 5
}
