mtu = 9000                       # want unknown-attribute: "outside of any"
fabrik "a" {}                    # want unknown-block: "Did you mean \"fabric\"?"


fabric "f" {
  mtuu    = 9000                 # want unknown-attribute: "Did you mean \"mtu\"?"
  mtu     = "9216"               # want wrong-type: "Expected a whole number from 1280 to 16384, not the string \"9216\""
  routing = "updown"             # want out-of-range: "Did you mean \"up-down\"?"
  failures = 1.5                 # want out-of-range: "1.5 is not allowed"
  failures = 2                   # want duplicate-attribute: "set twice"
  cable_length = "3yd"           # want wrong-unit: "no length"
  ecn {}                         # want unknown-block: "holds no blocks"
}

fabric "g" {}                    # want duplicate-block: "one fabric block"
fabric {}                        # want bad-label: "has a label"
ssh "x" {}                       # want bad-label: "no label"
ssh { jump = "-oProxyCommand=x" } # want bad-value: "not well formed"
ssh {}                           # want duplicate-block: "one ssh block"

cos_group "rdma" {               # want missing-attribute: "needs cos"
  ecn {}
  ecn {}                         # want duplicate-block: "holds one ecn block"
  pfc = {}                       # want unknown-attribute: "write pfc { ... }"
  lossless {}                    # want unknown-block: "\"lossless\" is an attribute"
}
cos_group "rdma" { cos = 1 }     # want duplicate-name: "two cos_group blocks named \"rdma\""
cos_group "a/b" { cos = 1 }      # want bad-name: "no name"
cos_group "sizes" {
  cos  = 8                       # want out-of-range: "whole number from 0 to 7"
  dscp = [64, "af44", "26", 26]  # want out-of-range: "64" want out-of-range: "af44" want wrong-type: "the string \"26\""
  pcp  = 4                       # want wrong-type: "a list of a whole number"
  weight = null
  ecn {
    min         = "64K"          # want wrong-unit: "Write \"64KiB\" (65536 bytes) or \"64000B\"."
    max         = "64KB"         # want wrong-unit: "Write \"64KiB\" (65536 bytes) or \"64000B\"."
    probability = "101%"         # want out-of-range: "from 1 to 100"
  }
  pfc {
    buffer = "1.5B"              # want out-of-range: "whole number of bytes"
    xoff   = true                # want wrong-type: "a size"
  }
}
cos_group "nocos" {
  cos = null                     # want missing-attribute: "null counts as not written"
}

roce "r" {
  version   = 3                  # want out-of-range: "from 1 to 2"
  cos_group = cos_group.rdna     # want unknown-reference: "Did you mean \"rdma\"?"
  cnp       = "rdma"             # want wrong-type: "cos_group.NAME, without quotes"
  vlan      = 4095               # want out-of-range: "1 to 4094"
  members   = [host.nope]        # want unknown-reference: "no host.nope"
}
roce "r2" {
  version   = 1
  cos_group = rdma               # want unknown-reference: "Write cos_group.rdma"
  members   = [switch.s, 7, "a[1-", "b:eth0:x"]  # want wrong-type: "switch.s" want wrong-type: "number 7" want bad-nodeset: "never closed" want bad-nodeset: "one colon"
}
switch "s" { model = "m" }
