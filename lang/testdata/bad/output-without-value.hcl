fabric "f" {}
output "x" {}  # want missing-attribute at "output \"x\"": "needs value"
