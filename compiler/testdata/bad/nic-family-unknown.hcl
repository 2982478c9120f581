fabric "f" {}
nic_model "lab" {
  family = "mlx6"  # want unknown-model at "\"mlx6\"": "Did you mean \"mlx4\"?"
  speed  = "25G"
}
