# background: tor

cos_group "cnp" {
  weight = 10 # want "weight-and-strict: Cos group \"cnp\" is strict, so its weight of 10 has no effect"
}
