fabric: f  # want syntax at "fabric": "equals sign, not with a colon"
