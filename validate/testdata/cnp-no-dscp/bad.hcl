# background: by-hand

cos_group "cnp" { # no dscp # want "cnp-no-dscp: Cos group .cnp. carries the CNPs of roce .training. and claims no DSCP. .* 48 .cs6. by default, which no cos group claims"
}
