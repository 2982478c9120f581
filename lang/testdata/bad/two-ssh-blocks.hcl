fabric "f" {}
ssh {}
ssh {}  # want duplicate-block at "ssh": "one ssh block"
