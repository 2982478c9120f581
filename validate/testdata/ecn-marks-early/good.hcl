# background: pod

switch "leaf" {
  version = "5.0.0"
}
