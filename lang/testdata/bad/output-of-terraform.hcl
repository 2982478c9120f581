fabric "f" {}
output "x" {
  value     = 1
  sensitive = true  # want unknown-attribute at "sensitive": "no attribute"
}
