# background: pod

accept "spare*" { # want "accept-unused: .*names no switch that rocec reads"
  differs = ["headroom"]
  reason  = "ticket 4711"
  by      = "ann"
}

accept "*" { # want "accept-unused: .*is empty, so it accepts nothing"
  differs = []
  reason  = "ticket 4712"
  by      = "ann"
}
