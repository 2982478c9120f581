fabric "f" {}
switch "s" {
  model = "sn2700"
  ssh { host_key = "MD5:16:27:ac:a5:76:28:2d:36:63:1b:56:4d:eb:df:a6:48" }  # want bad-value at "\"MD5:16:27:ac:a5:76:28:2d:36:63:1b:56:4d:eb:df:a6:48\"": "SHA256:"
}
