fabric "f" {}
variable "v" {
  type    = tuple([string, number])
  default = ["a"]  # want bad-variable at "[\"a\"]": "2 elements"
}
