fabric "f" {}
variable "v" {
  default = 1
  validation {
    condition     = var.v > 1
    error_message = ["No."]  # want wrong-type at "[\"No.\"]": "text"
  }
}
