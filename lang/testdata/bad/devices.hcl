fabric "f" { root = switch.leaf }  # want wrong-type: "switch.leaf is 3 of them"

switch "leaf" {
  names   = "leaf[1-3]"
  model   = "sn2700"
  version = 4.3                   # want wrong-type: "a release in quotes"
  asn     = self.index + "x"      # want bad-expression: "number"
  ssh {
    address = "10.0.0.${self.indx}"  # want unknown-reference: "Did you mean \"index\"?"
    port    = 70000 + self.index     # want out-of-range: "This is the value for leaf1."
    host_key = "SHA256:short"        # want bad-value: "ssh-keygen"
  }
}
switch "again" {
  names = "leaf[3-4]"             # want duplicate-name: "two devices named \"leaf3\""
  model = self.name == "leaf4" ? null : "x"  # want missing-attribute: "for leaf4"
}
switch "up" {
  names = "spine[${self.index}]"  # want unknown-reference: "outside of names"
  model = "x"
}
switch "evil" {
  names = "ok,../../etc/x"        # want bad-name: "no device name"
  model = "x"
}
switch "billion" {
  names = "n[0-999999999]"        # want too-many-objects: "names 1000000000 things"
  model = "x"
}
switch "Upper" {                  # want bad-name: "lower case"
  model = "x"
}
switch "computed" {
  names = "a${1}[1-"              # want bad-nodeset: "The string is \"a1[1-\"."
  model = "x"
}

host "h" {
  names    = "h[1-2]"
  forwards = "yes"                # want wrong-type: "true or false"
  nic "ens[1-2]f0" {
    model   = "cx5"
    ip      = "192.0.2.300"       # want bad-value: "no IP address"
    ttl     = 0                   # want out-of-range: "1 to 255"
    vf_roce = { x = true }        # want out-of-range: "virtual function"
    traffic_class {}              # want missing-attribute: "needs tos"
  }
  nic "ens2f0" { model = "cx5" }  # want duplicate-name: "two interfaces named \"ens2f0\""
  nic "a/b" { model = "cx5" }     # want bad-name: "no interface name"
  bond "waytoolonginterfacename" {  # want bad-name: "23 characters"
    nics = ["ens1f0", "en/s"]     # want bad-name: "no interface name"
    mode = "lacp"                 # want out-of-range: "802.3ad"
  }
  nick "x" {}                     # want unknown-block: "Did you mean \"nic\"?"
}

link "zip" {                      # want unequal-counts: "a names 2 endpoints, b names 3 endpoints"
  a = "h[1-2]:ens1f0"
  b = "leaf1:swp[1-3]"
  speed = 100                     # want wrong-unit: "Write \"100G\""
}
link "half" {                     # want missing-attribute: "needs b"
  a = "h1:eth0"
}
link "bare" {
  a = "h1"                        # want bad-nodeset: "names no interface"
  b = ["leaf1:swp1", 2]           # want wrong-type: "number 2"
}
mesh "m1" {                       # want unequal-counts: "needs 2 ports, or a multiple"
  lower = "leaf[1-2]:swp[1-3]"
  upper = "spine[1-2]:swp[1-2]"
}
mesh "m2" {                       # want unequal-counts: "2 x 1 = 2 ports; it names 3"
  lower = "leaf[1-2]:swp[1-2]"
  upper = "spine[1-2]:swp[1-3]"
}
mesh "m3" {                       # want unequal-counts: "same number of ports"
  lower = "leaf1:swp[1-2],leaf2:swp1"
  upper = "spine[1-2]:swp[1-2]"
}
switch_model "x" { ports = "32" } # want wrong-type: "whole number" want missing-attribute: "needs asic" want missing-attribute: "needs speed"
nic_model "y" {                   # want missing-attribute: "needs family" want missing-attribute: "needs speed"
  roce = [3]                      # want out-of-range: "1 to 2"
}
