# background: bonds

host "store" {
  nic "ens2f0,ens3f0" {}
  bond "bond0" { # want "bond-cards: store1:bond0 and 1 bond like it join ens2f0 and ens3f0, which are ports of two cards by their names"
    nics = ["ens2f0", "ens3f0"]
  }
}

link "stores" {
  a = "store1:ens2f0,store1:ens3f0,store2:ens2f0,store2:ens3f0"
}
