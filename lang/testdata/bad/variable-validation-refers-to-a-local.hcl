fabric "f" {}
locals { most = 5 }
variable "v" {
  default = 1
  validation {
    condition     = var.v <= local.most  # want unknown-reference at "local.most": "can refer only to var.NAME"
    error_message = "No."
  }
}
