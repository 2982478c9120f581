fabric "f" {}
link "m" {
  lower = "leaf[1-2]:swp[1-2]"  # want unknown-attribute at "lower": "Did you mean \"a\"?"
  upper = "spine[1-2]:swp[1-2]"  # want unknown-attribute at "upper": "Did you mean \"b\"?"
}
