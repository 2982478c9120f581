# background: tor

cos_group "other" { # want "sample-other: Cos group \"other\" is called other"
  cos = 1
}
