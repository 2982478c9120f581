fabric "f" {}
variable "racks" {
  type    = number
  default = 40  # want failed-validation at "40": "At most 32."
  validation {
    condition     = var.racks <= 32
    error_message = "At most ${16 * 2}."
  }
}
