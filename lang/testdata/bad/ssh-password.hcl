fabric "f" {}
ssh { password = "secret" }  # want unknown-attribute at "password": "no attribute \"password\""
