fabric "f" {
  routing = "table"
  table   = "../fib.json"  # want bad-value at "\"../fib.json\"": "Move the file"
}
