fabric "f" {}
locals {
  x = file("${path.module}/x")  # want unknown-reference at "path.module": "relative to the folder of the file"
}
