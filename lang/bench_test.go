package lang

import (
	"fmt"
	"io/fs"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
)

// clos returns a three-stage Clos, as one page of HCL for any size. It has pods of 64 leafs and 64 aggregation switches in complete
// wiring, 32 hosts a leaf, and 32 cores a plane. With 64 pods it has 10,240 switches, 131,072 hosts and 393,216 links; with cores
// cabled, 524,288.
func clos(pods int, cores, logins bool) fstest.MapFS {
	mesh, ssh := "", ""
	if cores {
		mesh = fmt.Sprintf(`
mesh "planes" {
  for_each = local.planes
  lower    = "p[01-%02d]-agg${each.key}:swp[65-96]"
  upper    = "c${each.key}-[01-32]:swp[1-%[1]d]"
}`, pods)
	}
	if logins {
		ssh = `ssh { address = cidrhost("10.128.0.0/9", self.index) }`
	}
	return files(map[string]string{"fabric.hcl": fmt.Sprintf(`
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
locals {
  pods   = toset([for p in range(1, %[1]d + 1) : format("%%02d", p)])
  planes = toset([for p in range(1, 65) : format("%%02d", p)])
}
switch "leaf" {
  names = "p[01-%02[1]d]-leaf[01-64]"
  model = "big"
  tier  = 1
  %[3]s
}
switch "agg" {
  names = "p[01-%02[1]d]-agg[01-64]"
  model = "big"
  tier  = 2
}
switch "core" {
  names = "c[01-64]-[01-32]"
  model = "big"
  tier  = 3
}
host "gpu" {
  names = "p[01-%02[1]d]-gpu[0001-2048]"
  nic "ens1f0" {
    model = "connectx-5"
    mtu   = 9000
  }
  %[3]s
}
link "hosts" {
  a     = "p[01-%02[1]d]-gpu[0001-2048]:ens1f0"
  b     = "p[01-%02[1]d]-leaf[01-64]:swp[1-32]"
  speed = "25G"
}
mesh "pods" {
  for_each = local.pods
  lower    = "p${each.key}-leaf[01-64]:swp[33-96]"
  upper    = "p${each.key}-agg[01-64]:swp[1-64]"
}
%[2]s
`, pods, mesh, ssh)})
}

// explicit returns a fabric with one link block for each link, in files of 1,000 blocks.
func explicit(links int) fstest.MapFS {
	texts := map[string]string{"fabric.hcl": "fabric \"f\" {}\n"}
	var src strings.Builder
	for n := range links {
		fmt.Fprintf(&src, "link \"l%06d\" {\n  a      = \"leaf%d:swp%d\"\n  b      = \"host%d:eth0\"\n  speed  = \"100G\"\n  length = "+
			"\"3m\"\n}\n", n, n/64, n%64+1, n)
		if (n+1)%1000 == 0 || n+1 == links {
			texts[fmt.Sprintf("links%03d.hcl", n/1000)] = src.String()
			src.Reset()
		}
	}
	return files(texts)
}

func benchmarkLoad(b *testing.B, fsys fs.FS, objects, links int) {
	b.ReportAllocs()
	for b.Loop() {
		s, ds := Load(fsys, ".", Options{MaxObjects: objects})
		if len(ds) > 0 || len(s.Links) != links {
			b.Fatal(len(s.Links), show(s, ds))
		}
	}
	b.StopTimer()
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*links), "ns/link")
	s, _ := Load(fsys, ".", Options{MaxObjects: objects})
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	b.ReportMetric(float64(m.HeapAlloc)/(1<<20), "MiB-live")
	runtime.KeepAlive(s)
}

// BenchmarkLoadClos loads a Clos of nodesets and meshes in three sizes: 1x, 4x and 16x. It also loads the largest with a login for each
// leaf and host, which is one expression each.
func BenchmarkLoadClos(b *testing.B) {
	for _, pods := range []int{4, 16, 64} {
		b.Run(fmt.Sprintf("%d-switches", pods*128+2048), func(b *testing.B) {
			benchmarkLoad(b, clos(pods, false, false), 0, pods*(2048+4096))
		})
	}
	b.Run("10240-switches-with-cores", func(b *testing.B) { benchmarkLoad(b, clos(64, true, false), 0, 524_288) })
	b.Run("10240-switches-with-logins", func(b *testing.B) { benchmarkLoad(b, clos(64, false, true), 0, 393_216) })
}

// BenchmarkLoadExplicit loads a fabric with one link block for each link: 1x, 4x, 16x and 100,000.
func BenchmarkLoadExplicit(b *testing.B) {
	for _, links := range []int{1_000, 4_000, 16_000, 100_000} {
		b.Run(fmt.Sprintf("%d-blocks", links), func(b *testing.B) { benchmarkLoad(b, explicit(links), 0, links) })
	}
}

// addressed returns a fabric of switches with 32 hosts each. The address of each host is computed from self.index, as in the manual.
func addressed(hosts int) fstest.MapFS {
	return files(map[string]string{"fabric.hcl": fmt.Sprintf(`
fabric "f" {}
switch "leaf" {
  names = "leaf[1-%[2]d]"
  model = "big"
  asn   = 65101 + self.index
}
host "gpu" {
  names = "gpu[1-%[1]d]"
  nic "ens1f0" {
    model = "connectx-5"
    ip    = "10.${floor(self.index / 65536)}.${floor(self.index / 256) %% 256}.${self.index %% 256}/8"
  }
}
link "hosts" {
  a = "gpu[1-%[1]d]:ens1f0"
  b = "leaf[1-%[2]d]:swp[1-32]"
}
`, hosts, hosts/32)})
}

// BenchmarkLoadAddresses loads a fabric with one expression for each host: 1x, 4x and 16x.
func BenchmarkLoadAddresses(b *testing.B) {
	for _, hosts := range []int{10_240, 40_960, 163_840} {
		b.Run(fmt.Sprintf("%d-hosts", hosts), func(b *testing.B) { benchmarkLoad(b, addressed(hosts), 0, hosts) })
	}
}

// Loading allocates memory, and so needs time, in proportion to the fabric.
func TestLoadIsLinear(t *testing.T) {
	perLink := func(fsys fs.FS, links int) float64 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		s, ds := Load(fsys, ".", Options{})
		runtime.ReadMemStats(&after)
		require.Empty(t, show(s, ds))
		require.Len(t, s.Links, links)
		return float64(after.TotalAlloc-before.TotalAlloc) / float64(links)
	}
	small, large := perLink(explicit(2_000), 2_000), perLink(explicit(32_000), 32_000)
	require.Less(t, large/small, 1.1, "bytes a block: %.0f, then %.0f", small, large)
	small, large = perLink(clos(4, false, false), 4*6144), perLink(clos(64, false, false), 64*6144)
	require.Less(t, large/small, 1.1, "bytes a link: %.0f, then %.0f", small, large)
}
