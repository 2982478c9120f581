fabric "f" {}
variable "v" {
  type    = 5  # want wrong-type at "5": "not a type"
  default = 5
}
