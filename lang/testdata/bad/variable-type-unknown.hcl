fabric "f" {}
variable "v" {
  type    = strin  # want wrong-type at "strin": "Did you mean string?"
  default = "a"
}
