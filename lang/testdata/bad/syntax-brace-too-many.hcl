fabric "f" {
}
}  # want syntax at "}": "closes nothing"
