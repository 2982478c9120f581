fabric "f" {}
locals {
  x = provider::aws::arn("a")  # want unknown-function at "provider::aws::arn": "There is no function"
}
