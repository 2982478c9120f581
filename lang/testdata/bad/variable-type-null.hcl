fabric "f" {}
variable "v" {
  type    = null  # want wrong-type at "null": "not a type"
  default = 5
}
