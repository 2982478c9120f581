# background: tor

roce "training" { # want "incast: In roce \"training\" 19 other ports can send 1,900G to gpu1:ens1f0 with its port of 100G. The links into tor1 carry 1,900G of that, 19 times the port"
}

host "gpu" {
  names = "gpu[1-20]"
}

link "hosts" {
  a = "gpu[1-20]:ens1f0"
  b = "tor1:swp1-20"
}
