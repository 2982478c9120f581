fabric "f" {}
variable "v" {
  default   = 1
  ephemeral = true  # want unknown-attribute at "ephemeral": "no attribute"
}
