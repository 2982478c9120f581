fabric "f" {}
variable "where" { default = "./pod" }
module "m" {
  source = var.where  # want wrong-type at "var.where": "as a literal in quotes"
}
