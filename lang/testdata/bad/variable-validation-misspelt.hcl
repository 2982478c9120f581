fabric "f" {}
variable "v" {
  default = 1
  validaton {  # want unknown-block at "validaton": "Did you mean \"validation\"?"
    condition     = true
    error_message = "No."
  }
}
