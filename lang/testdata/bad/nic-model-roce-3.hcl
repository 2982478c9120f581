fabric "f" {}
nic_model "x" {
  family = "mlx5"
  speed  = "25G"
  roce   = [3]  # want out-of-range at "3": "from 1 to 2"
}
