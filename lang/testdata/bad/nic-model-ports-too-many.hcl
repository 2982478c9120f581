fabric "f" {}
nic_model "x" {
  family = "mlx5"
  speed  = "25G"
  ports  = 17  # want out-of-range at "17": "from 1 to 16"
}
