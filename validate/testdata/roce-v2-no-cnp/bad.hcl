# background: tor
# no cos_group.cnp

roce "training" { # no cnp # want "roce-v2-no-cnp: Roce \"training\" names no cnp group"
}
