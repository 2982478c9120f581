fabric "f" {}
module "m" {
  source = 5  # want wrong-type at "5": "as a literal in quotes"
}
