fabric "f" {}
locals {
  pods {}  # want unknown-block at "pods": "Write pods = { ... }"
}
