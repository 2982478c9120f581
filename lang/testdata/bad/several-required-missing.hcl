fabric "f" {}
switch_model "x" {}  # want missing-attribute at "switch_model \"x\"": "needs asic" want missing-attribute at "switch_model \"x\"": "needs ports" want missing-attribute at "switch_model \"x\"": "needs speed"
