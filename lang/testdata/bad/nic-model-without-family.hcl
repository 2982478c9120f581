fabric "f" {}
nic_model "y" { speed = "25G" }  # want missing-attribute at "nic_model \"y\"": "needs family"
