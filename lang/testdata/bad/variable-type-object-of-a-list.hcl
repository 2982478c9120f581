fabric "f" {}
variable "v" {
  type    = object([string])  # want wrong-type at "[string]": "object({"
  default = {}
}
