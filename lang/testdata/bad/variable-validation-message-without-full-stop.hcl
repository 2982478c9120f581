fabric "f" {}
variable "v" {
  default = 1  # want failed-validation at "1": "must be two."
  validation {
    condition     = var.v == 2
    error_message = "must be two"
  }
}
