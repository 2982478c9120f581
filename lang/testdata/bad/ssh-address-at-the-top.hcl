fabric "f" {}
ssh { address = "192.0.2.1" }  # want unknown-attribute at "address": "no attribute \"address\""
