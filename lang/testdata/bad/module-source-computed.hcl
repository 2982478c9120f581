fabric "f" {}
variable "where" { default = "./pod" }
module "m" {
  source = var.where  # want wrong-type at "var.where": "written out in quotes"
}
