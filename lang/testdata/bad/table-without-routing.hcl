fabric "f" {
  table = "fib.json"  # want table-unused at "\"fib.json\"": "Say routing = \"table\""
}
