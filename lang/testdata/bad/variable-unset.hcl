fabric "f" {}
variable "unset" {}  # want unset-variable at "variable \"unset\"": "--var unset="
