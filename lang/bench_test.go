package lang

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
)

// bigFabric is 1,000 switches and 32,000 hosts: 25 pods of 32 leaves and 8 spines, 40 hosts a leaf.
const bigFabric = `
fabric "big" {
  routing      = "up-down"
  cable_length = "3m"
}
cos_group "rdma" {
  cos      = 4
  dscp     = ["af31"]
  lossless = true
  ecn {}
}
roce "training" {
  version   = 2
  cos_group = cos_group.rdma
  members   = [host.gpu]
}
locals { pods = toset([for p in range(1, 26) : format("%02d", p)]) }
switch "leaf" {
  names   = "p[01-25]-leaf[01-32]"
  model   = "sn2700"
  version = "4.3.0"
  tier    = 1
  ssh { address = "10.1.${floor(self.index / 256)}.${self.index % 256}" }
}
switch "spine" {
  names   = "p[01-25]-spine[1-8]"
  model   = "sn2700"
  version = "4.3.0"
  tier    = 2
  ssh { address = "10.2.0.${self.index % 256}" }
}
host "gpu" {
  names = "p[01-25]-gpu[0001-1280]"
  nic "ens1f0" {
    model = "connectx-5"
    mtu   = 9000
  }
  ssh { address = cidrhost("10.128.0.0/9", self.index) }
}
link "hosts" {
  a     = "p[01-25]-gpu[0001-1280]:ens1f0"
  b     = "p[01-25]-leaf[01-32]:swp[1-40]"
  speed = "25G"
}
mesh "uplinks" {
  for_each = local.pods
  lower    = "p${each.key}-leaf[01-32]:swp[49-56]"
  upper    = "p${each.key}-spine[1-8]:swp[1-32]"
}
`

func BenchmarkLoad(b *testing.B) {
	fsys := fstest.MapFS{"fabric.hcl": {Data: []byte(bigFabric)}}
	for b.Loop() {
		s, ds := Load(fsys, ".", Options{})
		if len(ds) > 0 || len(s.Switches) != 1000 || len(s.Hosts) != 32_000 || len(s.Links) != 38_400 {
			b.Fatal(len(s.Switches), len(s.Hosts), len(s.Links), show(s, ds))
		}
	}
	b.StopTimer()
	s, _ := Load(fsys, ".", Options{})
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	b.ReportMetric(float64(m.HeapAlloc)/(1<<20), "MiB-live")
	runtime.KeepAlive(s)
}

// BenchmarkLoadExplicit is 10,000 link blocks, written out.
func BenchmarkLoadExplicit(b *testing.B) {
	fsys := explicit(10_000, 2)
	for b.Loop() {
		if s, ds := Load(fsys, ".", Options{}); len(ds) > 0 || len(s.Links) != 10_000 {
			b.Fatal(show(s, ds))
		}
	}
}

func explicit(links, files int) fstest.MapFS {
	fsys := fstest.MapFS{"fabric.hcl": {Data: []byte("fabric \"f\" {}\n")}}
	for f := range files {
		var src strings.Builder
		for i := range links / files {
			n := f*links/files + i
			fmt.Fprintf(&src, "link \"l%06d\" {\n  a      = \"leaf%d:swp%d\"\n  b      = \"host%d:eth0\"\n  speed  = \"100G\"\n  length = \"3m\"\n}\n", n, n/64, n%64+1, n)
		}
		fsys[fmt.Sprintf("links%d.hcl", f)] = &fstest.MapFile{Data: []byte(src.String())}
	}
	return fsys
}

func TestManyExplicitLinksLoad(t *testing.T) {
	s, ds := Load(explicit(10_000, 2), ".", Options{})
	require.Empty(t, show(s, ds))
	require.Len(t, s.Links, 10_000)
}
