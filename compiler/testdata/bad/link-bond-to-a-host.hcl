fabric "f" { cable_length = "3m" }
switch "leaf" {
  names = "leaf[1-2]"
  model = "sn2700"
}
host "store1" {
  nic "eth[0-1]" { model = "connectx-5" }
}
link "store" {
  a    = "store1:eth[0-1]"
  b    = "leaf[1-2]:swp1"
  bond = true  # want link-bond at "true": "store1 is a host"
}
