fabric "f" {
  routing = up-down               # want unknown-reference: "\"up-down\" means nothing here"
  mtu     = var.mtuu              # want unknown-reference: "Did you mean \"mtu\"?"
  failures = local.broken + 1
  cable_length = uper("3m")       # want unknown-function: "Did you mean \"upper\"?"
  flow_control = each.key         # want unknown-reference: "for_each"
}
variable "mtu" {
  type    = number
  default = "lots"                # want bad-variable: "is a number"
}
variable "unset" {}               # want unset-variable: "--var unset="
variable "typo" {
  type = strin                    # want wrong-type: "no type"
}
variable "refers" { default = var.mtu }  # want unknown-reference: "cannot refer"
variable "racks" {
  type    = number
  default = 40                    # want failed-validation: "At most 32."
  validation {
    condition     = var.racks <= 32
    error_message = "At most ${16 * 2}."
  }
}
locals {
  a      = local.b + 1            # want reference-cycle: "a -> b -> c -> a"
  b      = local.c
  c      = local.a
  d      = local.a + 1
  self_  = local.self_            # want reference-cycle: "self_ -> self_"
  broken = 1 / 0                  # want bad-expression: "zero"
  twice  = 1
  deep   = [for x in [1] : [for y in [1] : [for z in [1] : z]]]  # want too-deep: "for expression"
  word   = nothing                # want unknown-reference: "means nothing here"
  whole  = keys(var)              # want unknown-reference: "var alone names nothing"
  high   = 1e400                  # want too-large: "too large"
  block {}                        # want unknown-block: "no blocks"
}
locals {
  twice = 2                       # want duplicate-name: "two locals"
}
link "each" {
  for_each = ["a"]                # want bad-for-each: "toset"
  a = "a:eth0"
  b = "b:eth0"
}
link "each2" {
  for_each = toset(["a", "b"])
  a = "${each.key}:eth0"
  b = "${each.value}:eth${each.nope}"  # want unknown-reference: "no each.nope"
}
cos_group "rdma" {
  for_each = toset(["a"])         # want unknown-attribute: "no attribute \"for_each\""
  cos      = 1
  allow_deadlock = ""             # want bad-value: "a reason"
}
