fabric "f" {}
module "m" {
  source = "./pdo"  # want unreadable at "\"./pdo\"": "there is no such file or folder"
}
