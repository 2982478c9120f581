# background: clos

link "stores" {
  flow_control = "pause"
}
