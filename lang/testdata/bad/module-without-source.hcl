fabric "f" {}
module "m" {}  # want missing-attribute at "module \"m\"": "needs source"
