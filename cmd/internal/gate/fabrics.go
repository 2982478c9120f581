package main

import (
	"fmt"
	"strings"
)

// fabric is the input of a row.
type fabric struct {
	name, title, text string
	built             bool // the row also builds it
}

func fabrics() []fabric {
	return []fabric{
		{name: "compact8", title: "fat tree k=8, compact", text: fatTree(8).compact(), built: true},
		{name: "compact24", title: "fat tree k=24, compact", text: fatTree(24).compact()},
		{name: "explicit16", title: "fat tree k=16, 3,072 explicit links", text: fatTree(16).explicit()},
		{
			name: "hosts4000", title: "500 switches with 4,000 hosts",
			text: clos{pods: 20, leaves: 20, aggs: 4, cores: 5, hosts: 10, release: "4.3.0"}.compact(),
		},
		{name: "nvue", title: "NVUE: 4,000 split ports", text: nvuePorts()},
	}
}

// head is the beginning of every fabric: RDMA with PFC and ECN, and a switch model with the number of ports that a row needs.
const head = `
fabric "speed" {
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

switch_model "any" {
  asic  = "spectrum-3"
  ports = 128
  speed = "200G"
}
`

// clos is a three-tier Clos network: pods of leaves and aggregation switches, and a plane of cores for each aggregation switch of a pod.
type clos struct {
	pods, leaves, aggs, cores int
	hosts                     int    // per leaf
	release                   string // of Cumulus Linux
}

// fatTree is the fat tree of k-port switches.
func fatTree(k int) clos {
	return clos{pods: k, leaves: k / 2, aggs: k / 2, cores: k / 2, hosts: k / 2, release: "4.3.0"}
}

func (c clos) devices() string {
	var b strings.Builder
	b.WriteString(head)
	for i, names := range []string{
		fmt.Sprintf("p[1-%d]-leaf[1-%d]", c.pods, c.leaves),
		fmt.Sprintf("p[1-%d]-agg[1-%d]", c.pods, c.aggs),
		fmt.Sprintf("core[1-%d]s[1-%d]", c.aggs, c.cores),
	} {
		fmt.Fprintf(&b, "\nswitch \"tier%[1]d\" {\n  names   = %[2]q\n  model   = \"any\"\n  os      = \"cumulus-linux\"\n"+
			"  version = %[3]q\n  tier    = %[1]d\n}\n", i+1, names, c.release)
	}
	fmt.Fprintf(&b, "\nhost \"gpu\" {\n  names = \"p[1-%d]-l[1-%d]-h[1-%d]\"\n  nic \"ens1f0\" {\n    model = \"connectx-6\"\n"+
		"    mtu   = 9000\n  }\n}\n", c.pods, c.leaves, c.hosts)
	return b.String()
}

// compact writes the cables with nodesets, a block for each pod and each plane.
func (c clos) compact() string {
	var b strings.Builder
	b.WriteString(c.devices())
	fmt.Fprintf(&b, "\nlink \"hosts\" {\n  a     = \"p[1-%[1]d]-l[1-%[2]d]-h[1-%[3]d]:ens1f0\"\n"+
		"  b     = \"p[1-%[1]d]-leaf[1-%[2]d]:swp[1-%[3]d]\"\n  speed = \"100G\"\n}\n", c.pods, c.leaves, c.hosts)
	for p := range c.pods {
		fmt.Fprintf(&b, "\nmesh \"pod%[1]d\" {\n  lower = \"p%[1]d-leaf[1-%[2]d]:swp[%[4]d-%[5]d]\"\n"+
			"  upper = \"p%[1]d-agg[1-%[3]d]:swp[1-%[2]d]\"\n}\n", p+1, c.leaves, c.aggs, c.hosts+1, c.hosts+c.aggs)
	}
	for a := range c.aggs {
		fmt.Fprintf(&b, "\nmesh \"plane%[1]d\" {\n  lower = \"p[1-%[2]d]-agg[%[1]d]:swp[%[4]d-%[5]d]\"\n"+
			"  upper = \"core%[1]ds[1-%[3]d]:swp[1-%[2]d]\"\n}\n", a+1, c.pods, c.cores, c.leaves+1, c.leaves+c.cores)
	}
	return b.String()
}

// explicit writes a block for each cable, as a generating program does.
func (c clos) explicit() string {
	var b strings.Builder
	b.WriteString(c.devices())
	count := 0
	link := func(a, to, speed string) {
		count++
		fmt.Fprintf(&b, "\nlink \"l%d\" {\n  a      = %q\n  b      = %q\n  speed  = %q\n  length = \"30m\"\n}\n", count, a, to, speed)
	}
	for p := range c.pods {
		for l := range c.leaves {
			leaf := fmt.Sprintf("p%d-leaf%d:swp", p+1, l+1)
			for h := range c.hosts {
				link(fmt.Sprintf("p%d-l%d-h%d:ens1f0", p+1, l+1, h+1), leaf+fmt.Sprint(h+1), "100G")
			}
			for a := range c.aggs {
				link(leaf+fmt.Sprint(c.hosts+a+1), fmt.Sprintf("p%d-agg%d:swp%d", p+1, a+1, l+1), "200G")
			}
		}
		for a := range c.aggs {
			for s := range c.cores {
				link(fmt.Sprintf("p%d-agg%d:swp%d", p+1, a+1, c.leaves+s+1), fmt.Sprintf("core%ds%d:swp%d", a+1, s+1, p+1), "200G")
			}
		}
	}
	return b.String()
}

// nvuePorts has leaves with NVUE and 4,000 split ports to hosts, below 8 spines.
func nvuePorts() string {
	return head + `
switch "leaf" {
  names   = "leaf[1-40]"
  model   = "sn5600"
  os      = "cumulus-linux"
  version = "5.9.1"
  tier    = 1
}

switch "spine" {
  names   = "spine[1-8]"
  model   = "sn5600"
  os      = "cumulus-linux"
  version = "5.9.1"
  tier    = 2
}

host "gpu" {
  names = "gpu[1-40]-[1-100]"
  nic "ens1f0" {
    model = "connectx-6"
    mtu   = 9000
  }
}

link "hosts" {
  a     = "gpu[1-40]-[1-100]:ens1f0"
  b     = "leaf[1-40]:swp[1-25]s[0-3]"
  speed = "100G"
}

mesh "uplinks" {
  lower = "leaf[1-40]:swp[33-40]"
  upper = "spine[1-8]:swp[1-40]"
}
`
}
