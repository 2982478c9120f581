{ "fabric": { "f": {} } }  # want syntax at "{": "JSON"
