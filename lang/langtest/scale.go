package langtest

import (
	"fmt"
	"strings"
)

// scale is the fabric of [Scale] without its meshes; %[1]s is the numbers of the pods.
const scale = `
fabric "scale" {
  routing      = "up-down"
  cable_length = "30m"
}

cos_group "rdma" {
  cos      = 4
  dscp     = ["af31"]
  lossless = true
  weight   = 60
  ecn {}
}

cos_group "cnp" {
  cos    = 6
  dscp   = ["cs6"]
  strict = true
}

cos_group "default" {
  cos    = 0
  weight = 40
}

roce "training" {
  version   = 2
  cos_group = cos_group.rdma
  cnp       = cos_group.cnp
  members   = [host.gpu]
}

switch_model "big" {
  asic  = "spectrum-3"
  ports = 256
  speed = "200G"
}

switch "leaf" {
  names   = "p[%[1]s]-leaf[01-64]"
  model   = "big"
  version = "4.3.0"
  ssh { address = "10.1.${floor(self.index / 200)}.${self.index %% 200}" }
}

switch "agg" {
  names   = "p[%[1]s]-agg[01-16]"
  model   = "big"
  version = "4.3.0"
  ssh { address = "10.2.${floor(self.index / 200)}.${self.index %% 200}" }
}

switch "core" {
  names   = "core[01-16]-[1-8]"
  model   = "big"
  version = "4.3.0"
}

host "gpu" {
  names = "p[%[1]s]-l[01-64]-h[01-40]"
  nic "ens1f0" {
    model = "connectx-6"
    mtu   = 9000
    ip    = "10.${floor(self.index / 62500) + 16}.${floor(self.index / 250) %% 250}.${self.index %% 250 + 1}/8"
  }
}

link "hosts" {
  a     = "p[%[1]s]-l[01-64]-h[01-40]:ens1f0"
  b     = "p[%[1]s]-leaf[01-64]:swp[1-40]"
  speed = "25G"
}
`

// Scale returns a three-tier Clos that grows by pods of 64 leaves, 16 aggregation switches and 2,560 hosts, under 128 cores. 16 pods are
// 1,408 switches and 40,960 hosts.
func Scale(pods int) []byte {
	var b strings.Builder
	numbers := fmt.Sprintf("01-%02d", pods)
	fmt.Fprintf(&b, scale, numbers)
	for pod := 1; pod <= pods; pod++ {
		fmt.Fprintf(&b, "\nmesh \"pod%[1]d\" {\n  lower = \"p%02[1]d-leaf[01-64]:swp[41-56]\"\n  upper = \"p%02[1]d-agg[01-16]:swp[1-64]\"\n}\n",
			pod)
	}
	for plane := 1; plane <= 16; plane++ {
		fmt.Fprintf(&b, "\nmesh \"plane%[1]d\" {\n  lower = \"p[%[3]s]-agg%02[1]d:swp[65-72]\"\n  upper = "+
			"\"core%02[1]d-[1-8]:swp[1-%[2]d]\"\n}\n", plane, pods, numbers)
	}
	return []byte(b.String())
}
