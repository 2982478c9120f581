fabric 7 {}  # want syntax at "fabric": "\"label\""
