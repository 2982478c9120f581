fabric "f" {}
variable "v" {
  type    = null  # want wrong-type at "null": "no type"
  default = 5
}
