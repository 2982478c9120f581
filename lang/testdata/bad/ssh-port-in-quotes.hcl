fabric "f" {}
ssh { port = "22" }  # want wrong-type at "\"22\"": "without quotes"
