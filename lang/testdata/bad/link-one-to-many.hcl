fabric "f" {}
link "zip" {  # want unequal-counts at "link \"zip\"": "a names 1 endpoint, b names 8 endpoints"
  a = "h1:ens1f0"
  b = "leaf[1-2]:swp[1-4]"
}
