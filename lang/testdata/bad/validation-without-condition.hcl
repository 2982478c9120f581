fabric "f" {}
variable "v" {
  default = 1
  validation {  # want missing-attribute at "validation": "needs condition"
    error_message = "No."
  }
}
