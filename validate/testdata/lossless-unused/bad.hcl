# background: tor

cos_group "fcoe" {
  cos      = 5
  lossless = true # want "lossless-unused: Cos group \"fcoe\" is lossless, but no roce block uses it: PFC is on for priority 5"
}
