# background: tor

cos_group "cnp" {
  ecn {} # want "ecn-on-cnp: Cos group \"cnp\" carries the CNPs of roce \"training\" and asks for ECN"
}
