fabric "f" {}
fabrik "a" {}  # want unknown-block at "fabrik": "Did you mean \"fabric\"?"
