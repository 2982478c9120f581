fabric "f" {
  failures = 1.5  # want out-of-range at "1.5": "whole number"
}
