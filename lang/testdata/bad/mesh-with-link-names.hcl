fabric "f" {}
mesh "m" {
  a = "leaf[1-2]:swp[1-2]"  # want unknown-attribute at "a": "Did you mean \"lower\"?"
  b = "spine[1-2]:swp[1-2]"  # want unknown-attribute at "b": "Did you mean \"upper\"?"
}
