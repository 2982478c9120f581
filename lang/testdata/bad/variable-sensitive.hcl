fabric "f" {}
variable "password" {
  type      = string
  sensitive = true  # want sensitive-variable at "true": "nothing secret belongs in a fabric"
}
