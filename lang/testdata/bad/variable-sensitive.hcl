fabric "f" {}
variable "password" {
  type      = string
  sensitive = true  # want sensitive-variable at "true": "a fabric must not contain secrets"
}
