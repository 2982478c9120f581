fabric "f" {}
switch "leaf1" { model = "sn2700" }
link "l" {
  a = "leaf1:swp1"
  b = "leaf1:swp2"  # want link-to-itself at "leaf1:swp2": "leaf1"
}
