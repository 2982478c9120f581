fabric "f" {}
locals { x = module.pod.hosts }  # want unknown-reference at "module.pod.hosts": "no module.pod"
