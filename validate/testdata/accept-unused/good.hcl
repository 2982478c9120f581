# background: pod

accept "*" {
  differs = ["headroom", "shares"]
  reason  = "ticket 4711"
  by      = "ann"
  until   = "2001-02-28" # no check asks the date
}
