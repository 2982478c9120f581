# background: bonds

switch "leaf" {} # no mlag

host "store" {
  bond "bond0" {
    mode = "active-backup"
  }
}
