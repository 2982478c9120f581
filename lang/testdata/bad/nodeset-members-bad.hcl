fabric "f" {}
cos_group "g" { cos = 1 }
roce "r" {
  version   = 1
  cos_group = cos_group.g
  members   = ["a[1-", "b:eth0:x"]  # want bad-nodeset at "[1-": "never closed" want bad-nodeset at ":x": "one colon"
}
