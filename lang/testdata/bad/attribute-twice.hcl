fabric "f" {
  failures = 1
  failures = 2  # want duplicate-attribute at "failures": "set twice"
}
