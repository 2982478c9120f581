fabric "f" {}
resource "x" "y" {}  # want unknown-block at "resource": "no block \"resource\""
