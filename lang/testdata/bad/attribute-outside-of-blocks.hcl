fabric "f" {}
mtu = 9000  # want unknown-attribute at "mtu": "outside of all blocks"
