fabric "f" {}
host "h" {}
roce "r" {
  version   = 1
  cos_group = host.h  # want wrong-type at "host.h": "the block host.h"
  members   = ["h"]
}
