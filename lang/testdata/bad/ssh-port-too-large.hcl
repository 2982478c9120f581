fabric "f" {}
ssh { port = 70000 }  # want out-of-range at "70000": "from 1 to 65535"
