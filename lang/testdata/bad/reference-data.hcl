fabric "f" {}
locals {
  x = data.http.x  # want unknown-reference at "data.http.x": "means nothing here"
}
