fabric = "f" {  # want syntax at "{": "without an equals sign"
}
