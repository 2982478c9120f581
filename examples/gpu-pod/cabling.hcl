link "rail1" {
  a      = "gpu[01-16]:rail1"
  b      = "leaf1:swp[1-8]s[0-1]"
  speed  = "400G"
  length = "5m"
}

link "rail2" {
  a      = "gpu[01-16]:rail2"
  b      = "leaf2:swp[1-8]s[0-1]"
  speed  = "400G"
  length = "5m"
}

link "rail3" {
  a      = "gpu[01-16]:rail3"
  b      = "leaf3:swp[1-8]s[0-1]"
  speed  = "400G"
  length = "5m"
}

link "rail4" {
  a      = "gpu[01-16]:rail4"
  b      = "leaf4:swp[1-8]s[0-1]"
  speed  = "400G"
  length = "5m"
}

mesh "uplinks" {
  lower  = "leaf[1-4]:swp[57-64]"
  upper  = "spine[1-8]:swp[1-4]"
  speed  = "800G"
  length = "30m"
}
