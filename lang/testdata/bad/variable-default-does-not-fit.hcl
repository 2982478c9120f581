fabric "f" {}
variable "v" {
  type    = number
  default = "lots"  # want bad-variable at "\"lots\"": "declared as number"
}
