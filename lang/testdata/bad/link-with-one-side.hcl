fabric "f" {}
link "half" {  # want missing-attribute at "link \"half\"": "needs b"
  a = "h1:eth0"
}
