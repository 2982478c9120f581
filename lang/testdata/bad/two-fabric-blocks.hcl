fabric "f" {}
fabric "g" {}  # want duplicate-block at "fabric \"g\"": "one fabric block"
