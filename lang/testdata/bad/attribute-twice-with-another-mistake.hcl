fabric "f" {
  failures = 1
  failures = 2  # want duplicate-attribute at "failures": "set twice"
  mtuu     = 1  # want unknown-attribute at "mtuu": "Did you mean"
}
