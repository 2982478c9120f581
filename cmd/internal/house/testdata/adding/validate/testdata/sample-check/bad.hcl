# background: tor

cos_group "sample" { # want "sample-check: Cos group \"sample\" is called sample"
  cos = 1
}
