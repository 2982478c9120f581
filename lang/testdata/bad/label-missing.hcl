fabric {}  # want bad-label at "fabric": "has a label. Write fabric \"NAME\" { ... }"
