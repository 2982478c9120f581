fabric "f" {}
variable "v" {
  type    = "string"  # want wrong-type at "\"string\"": "without quotes"
  default = "a"
}
