fabric "f" {}
locals { most = 5 }
variable "v" {
  default = 1
  validation {
    condition     = var.v <= local.most  # want unknown-reference at "local.most": "only var.NAME"
    error_message = "No."
  }
}
