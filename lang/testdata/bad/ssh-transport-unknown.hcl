fabric "f" {}
switch "s" {
  model = "sn2700"
  ssh { transport = "telnet" }  # want out-of-range at "\"telnet\"": "\"native\", \"openssh\""
}
