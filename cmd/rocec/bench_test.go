package main

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/rocec/rocec/compiler"
	"github.com/rocec/rocec/compiler/compilertest"
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/langtest"
	"github.com/rocec/rocec/targets"
	"github.com/rocec/rocec/targets/judge"
	"github.com/rocec/rocec/validate"
)

// bigFabric is a five-stage Clos of 1,000 switches and 32,000 hosts in a page of HCL. It has 16 pods of 50 leaves and 8 aggregation
// switches, 8 planes of 9 core switches, and 40 hosts per leaf.
func bigFabric() string {
	var b strings.Builder
	b.WriteString(`
fabric "big" {
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

switch_model "big64" {
  asic  = "spectrum-3"
  ports = 64
  speed = "200G"
}

switch "leaf" {
  names   = "p[01-16]-leaf[01-50]"
  model   = "big64"
  os      = "cumulus-linux"
  version = "4.3.0"
  tier    = 1
}

switch "agg" {
  names   = "p[01-16]-agg[1-8]"
  model   = "big64"
  os      = "cumulus-linux"
  version = "4.3.0"
  tier    = 2
}

switch "core" {
  names   = "core[1-8]-[1-9]"
  model   = "big64"
  os      = "cumulus-linux"
  version = "4.3.0"
  tier    = 3
}

host "gpu" {
  names = "p[01-16]-l[01-50]-h[01-40]"
  nic "ens1f0" {
    model = "connectx-6"
    mtu   = 9000
  }
}

link "hosts" {
  a     = "p[01-16]-l[01-50]-h[01-40]:ens1f0"
  b     = "p[01-16]-leaf[01-50]:swp[1-40]"
  speed = "100G"
}
`)
	for pod := 1; pod <= 16; pod++ {
		fmt.Fprintf(&b, "\nmesh \"pod%d\" {\n  lower = \"p%02d-leaf[01-50]:swp[41-48]\"\n  upper = \"p%02d-agg[1-8]:swp[1-50]\"\n}\n", pod, pod,
			pod)
	}
	for plane := 1; plane <= 8; plane++ {
		fmt.Fprintf(&b, "\nmesh \"plane%d\" {\n  lower = \"p[01-16]-agg[%d]:swp[51-59]\"\n  upper = \"core%d-[1-9]:swp[1-16]\"\n}\n", plane,
			plane, plane)
	}
	return b.String()
}

// BenchmarkBuild compiles HCL to the bytes of every file of every device.
func BenchmarkBuild(b *testing.B) {
	fsys := fstest.MapFS{"fabric.hcl": {Data: []byte(bigFabric())}}
	b.ReportAllocs()
	for b.Loop() {
		files, bytes := buildAll(b, fsys)
		b.ReportMetric(float64(files), "files")
		b.ReportMetric(float64(bytes)/1e6, "MB-rendered")
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	b.ReportMetric(float64(m.HeapSys)/(1<<20), "MiB-heap-from-system")
}

func buildAll(tb testing.TB, fsys fstest.MapFS) (files, bytes int) {
	for _, d := range judgeGood(tb, fsys).Tree().Devices {
		for _, f := range d.Files {
			if f.Live != nil {
				continue
			}
			data, _ := f.Edit(nil)
			files++
			bytes += len(data)
		}
	}
	return files, bytes
}

// The fabric of the benchmark has the documented size.
func TestBigFabric(t *testing.T) {
	src, ds := lang.Load(fstest.MapFS{"fabric.hcl": {Data: []byte(bigFabric())}}, ".", lang.Options{})
	if ds.HasErrors() {
		t.Fatal(ds[0].Detail)
	}
	if len(src.Switches) != 1000 || len(src.Hosts) != 32000 {
		t.Fatalf("%d switches, %d hosts", len(src.Switches), len(src.Hosts))
	}
}

// BenchmarkChecks runs every check on a compiled fabric, including the findings of targets: 448, 1,408 and 5,248 switches.
func BenchmarkChecks(b *testing.B) {
	for _, pods := range []int{4, 16, 64} {
		b.Run(fmt.Sprintf("%d switches", pods*80+128), func(b *testing.B) {
			f := compilertest.Compile(b, langtest.Scale(pods))
			b.ReportAllocs()
			for b.Loop() {
				_, ds := targets.Render(f)
				for _, d := range append(validate.Run(f, nil).Diagnostics, ds...) {
					if d.Severity != diag.Notice {
						b.Fatal(d.Code, d.Detail)
					}
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(f.Devices)), "ns/device")
		})
	}
}

// explicitFabric returns a fabric as a program writes it: each host has a link block, and each leaf has 64 hosts.
func explicitFabric(links int) fstest.MapFS {
	files := fstest.MapFS{}
	var b strings.Builder
	fmt.Fprintf(&b, `
fabric "explicit" {}

cos_group "rdma" {
  cos      = 3
  dscp     = [26]
  lossless = true
  ecn {}
}

cos_group "cnp" {
  cos    = 6
  dscp   = [48]
  strict = true
}

switch_model "big" {
  asic  = "spectrum-3"
  ports = 128
  speed = "100G"
}

switch "leaf" {
  names   = "leaf[0000-%04d]"
  model   = "big"
  version = "4.3.0"
}

host "gpu" {
  names = "gpu[00000-%05d]"
  nic "eth0" { model = "connectx-6" }
}

roce "training" {
  version   = 2
  cos_group = cos_group.rdma
  cnp       = cos_group.cnp
  members   = [host.gpu]
}
`, (links-1)/64, links-1)
	for i := range links {
		if i%1000 == 0 { // a file may have at most 1 MiB
			files[fmt.Sprintf("part%d.hcl", i/1000)] = &fstest.MapFile{Data: []byte(b.String())}
			b.Reset()
		}
		fmt.Fprintf(&b, "\nlink \"l%[1]d\" {\n  a      = \"leaf%04[2]d:swp%[3]d\"\n  b      = \"gpu%05[1]d:eth0\"\n  speed  = \"100G\"\n  "+
			"length = \"3m\"\n}\n", i, i/64, i%64+1)
	}
	files["last.hcl"] = &fstest.MapFile{Data: []byte(b.String())}
	return files
}

// BenchmarkValidate compiles HCL to all diagnostics, for three sizes: 1x, 4x and 16x. MiB-live is the memory in use at the end.
func BenchmarkValidate(b *testing.B) {
	for _, links := range []int{1_000, 4_000, 16_000} {
		b.Run(fmt.Sprintf("%d-links", links), func(b *testing.B) {
			fsys := explicitFabric(links)
			var f *ir.Fabric
			b.ReportAllocs()
			for b.Loop() {
				f = judgeGood(b, fsys).Fabric
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*links), "ns/link")
			var m runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&m)
			b.ReportMetric(float64(m.HeapAlloc)/(1<<20), "MiB-live")
			if len(f.Links) != links {
				b.Fatal(len(f.Links))
			}
		})
	}
}

// judgeGood runs the pipeline on a fabric without errors.
func judgeGood(tb testing.TB, fsys fstest.MapFS) *judge.Judged {
	tb.Helper()
	j := judge.Judge(tb.Context(), fsys, ".", judge.Options{})
	for _, d := range j.Diags {
		if d.Severity == diag.Error {
			tb.Fatal(d.Code, d.Detail)
		}
	}
	return j
}

// The memory of a fabric grows in proportion to its ports, even if each port has its own block: equal ports share their sizes.
func TestMemoryOfAFabric(t *testing.T) {
	perLink := func(links int) float64 {
		src, ds := lang.Load(explicitFabric(links), ".", lang.Options{})
		if ds.HasErrors() {
			t.Fatal(ds[0].Detail)
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		f, ds := compiler.Compile(src, targets.Known)
		if ds.HasErrors() {
			t.Fatal(ds[0].Detail)
		}
		runtime.ReadMemStats(&after)
		sizes := map[*ir.Buffer]bool{}
		for _, p := range f.Ports {
			sizes[p.Buffers()[0]] = true
		}
		if len(sizes) != 2 {
			t.Errorf("%d different buffers for switches and NICs that are all equal", len(sizes))
		}
		return float64(after.TotalAlloc-before.TotalAlloc) / float64(links)
	}
	one, four := perLink(1_000), perLink(4_000)
	if four > 1.3*one || four > 4_000 {
		t.Errorf("compiling takes %.0f bytes a link for 1,000 links and %.0f for 4,000", one, four)
	}
	t.Logf("%.0f and %.0f bytes a link", one, four)
}

// closFabric is a three-tier Clos in which each host has one cable. It has pods of leaves and aggregation switches, and as many planes of
// cores as a pod has aggregation switches.
func closFabric(pods, leaves, aggs, cores, hosts int) fstest.MapFS {
	head, _, _ := strings.Cut(bigFabric(), "switch_model")
	var b strings.Builder
	b.WriteString(head)
	b.WriteString("switch_model \"big\" {\n  asic  = \"spectrum-3\"\n  ports = 256\n  speed = \"200G\"\n}\n")
	pod := fmt.Sprintf("p[01-%02d]", pods)
	for _, s := range [][2]string{
		{"leaf", fmt.Sprintf("%s-leaf[01-%02d]", pod, leaves)},
		{"agg", fmt.Sprintf("%s-agg[01-%02d]", pod, aggs)},
		{"core", fmt.Sprintf("core[01-%02d]-[01-%02d]", aggs, cores)},
	} {
		fmt.Fprintf(&b, "\nswitch %q {\n  names   = %q\n  model   = \"big\"\n  version = \"4.3.0\"\n}\n", s[0], s[1])
	}
	gpu := fmt.Sprintf("%s-l[01-%02d]-h[01-%02d]", pod, leaves, hosts)
	fmt.Fprintf(&b, "\nhost \"gpu\" {\n  names = %q\n  nic \"ens1f0\" {\n    model = \"connectx-6\"\n    mtu   = 9000\n  }\n}\n", gpu)
	fmt.Fprintf(&b, "\nlink \"hosts\" {\n  a     = \"%s:ens1f0\"\n  b     = \"%s-leaf[01-%02d]:swp[1-%d]\"\n  speed = \"100G\"\n}\n",
		gpu, pod, leaves, hosts)
	for p := range pods {
		lower := fmt.Sprintf("p%02d-leaf[01-%02d]:swp[%d-%d]", p+1, leaves, hosts+1, hosts+aggs)
		upper := fmt.Sprintf("p%02d-agg[01-%02d]:swp[1-%d]", p+1, aggs, leaves)
		fmt.Fprintf(&b, "\nmesh \"pod%d\" {\n  lower = %q\n  upper = %q\n}\n", p+1, lower, upper)
	}
	for a := range aggs {
		lower := fmt.Sprintf("%s-agg%02d:swp[%d-%d]", pod, a+1, leaves+1, leaves+cores)
		upper := fmt.Sprintf("core%02d-[01-%02d]:swp[1-%d]", a+1, cores, pods)
		fmt.Fprintf(&b, "\nmesh \"plane%d\" {\n  lower = %q\n  upper = %q\n}\n", a+1, lower, upper)
	}
	return fstest.MapFS{"fabric.hcl": {Data: []byte(b.String())}}
}

// BenchmarkCompileClos resolves, cables and sizes a Clos at three sizes, up to 10,240 switches, 131,072 hosts and 524,288 cables. MiB-live
// is the memory of the fabric.
func BenchmarkCompileClos(b *testing.B) {
	for _, c := range []struct{ pods, leaves, aggs, cores, hosts int }{{4, 16, 16, 8, 32}, {16, 32, 32, 16, 32}, {64, 64, 64, 32, 32}} {
		src, ds := lang.Load(closFabric(c.pods, c.leaves, c.aggs, c.cores, c.hosts), ".", lang.Options{MaxObjects: 5_000_000})
		if ds.HasErrors() {
			b.Fatal(ds[0].Detail)
		}
		b.Run(fmt.Sprintf("%d-links", len(src.Links)), func(b *testing.B) {
			b.ReportAllocs()
			var f *ir.Fabric
			for b.Loop() {
				f, ds = compiler.Compile(src, targets.Known)
				if f == nil {
					b.Fatal(ds[0].Detail)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(f.Links)), "ns/link")
			before := live()
			f = nil
			b.ReportMetric(float64(before-live())/(1<<20), "MiB-live")
		})
	}
}

// BenchmarkWantedClos computes the settings of every device of such a Clos. MiB-live is the memory of all settings together.
func BenchmarkWantedClos(b *testing.B) {
	src, ds := lang.Load(closFabric(64, 64, 64, 32, 32), ".", lang.Options{MaxObjects: 5_000_000})
	if ds.HasErrors() {
		b.Fatal(ds[0].Detail)
	}
	f, _ := compiler.Compile(src, targets.Known)
	if f == nil {
		b.Fatal("no fabric")
	}
	b.ReportAllocs()
	all := make([]*ir.Settings, len(f.Devices))
	for b.Loop() {
		for i, d := range f.Devices {
			all[i] = d.Wanted()
		}
	}
	before := live()
	clear(all)
	b.ReportMetric(float64(before-live())/(1<<20), "MiB-live")
}

// live returns the bytes in use after a garbage collection.
func live() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
