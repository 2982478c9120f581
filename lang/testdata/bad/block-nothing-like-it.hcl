fabric "f" {}
widget {}  # want unknown-block at "widget": "Write one of"
