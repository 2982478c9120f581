fabric "f" {}
switch "s" {
  names = "leaf[1-4]"
  model = self.name == "leaf4" ? null : "sn2700"  # want missing-attribute at "self.name == \"leaf4\" ? null : \"sn2700\"": "leaf4"
}
