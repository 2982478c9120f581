fabric "f" {}
variable "leaves" { default = 4 }
variable "pods" {
  default = 3  # want failed-validation at "3": "Pods need 2 leaves each."
  validation {
    condition     = var.leaves >= 2 * var.pods
    error_message = "Pods need 2 leaves each."
  }
}
