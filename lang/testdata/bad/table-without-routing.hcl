fabric "f" {
  table = "fib.json"  # want table-unused at "\"fib.json\"": "Write routing = \"table\""
}
