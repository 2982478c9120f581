fabric "f" {}
ssh { jump = "bastion:99999" }  # want bad-value at "\"bastion:99999\"": "ports are from 1 to 65535"
