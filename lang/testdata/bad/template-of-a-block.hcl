fabric "f" {}
cos_group "g" { cos = 1 }
locals {
  x = "group ${cos_group.g}"  # want bad-expression at "cos_group.g": "block"
}
