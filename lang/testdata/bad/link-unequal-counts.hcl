fabric "f" {}
link "zip" {  # want unequal-counts at "link \"zip\"": "a names 2 endpoints, b names 3 endpoints"
  a = "h[1-2]:ens1f0"
  b = "leaf1:swp[1-3]"
}
