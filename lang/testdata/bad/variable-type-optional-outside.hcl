fabric "f" {}
variable "v" {
  type    = optional(string)  # want wrong-type at "optional": "object"
  default = "a"
}
