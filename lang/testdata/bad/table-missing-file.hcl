fabric "f" {
  routing = "table"
  table   = "fib.json"  # want unreadable at "\"fib.json\"": "there is no such file"
}
