fabric "f" {}
cos_group "g" {
  cos    = 1
  weight = "50%"  # want wrong-type at "\"50%\"": "a whole number from 1 to 100"
}
