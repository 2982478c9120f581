# background: rack

cos_group "storage" {
  ecn {} # want "ecn-without-v2: Cos group \"storage\" asks for ECN, but only RoCEv1 travels in it: roce \"nvme\" is version 1"
}
