fabric "f" {}
switch "s" {}  # want missing-attribute at "switch \"s\"": "needs model"
