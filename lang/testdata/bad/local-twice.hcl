fabric "f" {}
locals { a = 1 }
locals { a = 2 }  # want duplicate-name at "a": "two locals named"
