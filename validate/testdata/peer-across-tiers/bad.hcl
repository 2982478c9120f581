# background: pod

mesh "uplinks" {
  peer = true # want "peer-across-tiers: mesh .uplinks. says peer = true, but leaf1 has tier 1 and spine1 tier 2"
}
