fabric "f" {}
variable "v" {
  default = 1
  validation {
    condition     = var.v  # want wrong-type at "var.v": "true or false"
    error_message = "No."
  }
}
