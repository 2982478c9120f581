fabric "f" {}
variable "name" {
  default = "Pod One"  # want failed-validation at "\"Pod One\"": "No spaces." want failed-validation at "\"Pod One\"": "Lower case."
  validation {
    condition     = replace(var.name, " ", "") == var.name
    error_message = "No spaces."
  }
  validation {
    condition     = lower(var.name) == var.name
    error_message = "Lower case."
  }
}
