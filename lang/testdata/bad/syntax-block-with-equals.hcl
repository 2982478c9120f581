fabric "f" = {  # want syntax at "=": "without the equals sign"
}
