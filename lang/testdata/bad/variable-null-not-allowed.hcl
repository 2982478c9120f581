fabric "f" {}
variable "v" {
  type     = number
  nullable = false
  default  = null  # want bad-variable at "null": "nullable = false"
}
