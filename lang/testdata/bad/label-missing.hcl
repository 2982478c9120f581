fabric {}  # want bad-label at "fabric": "needs a label. Write fabric \"NAME\" { ... }"
