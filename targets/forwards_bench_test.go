package targets_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/ir/irtest"
	"github.com/rocec/rocec/compiler/routes"
	"github.com/rocec/rocec/targets"
	"github.com/rocec/rocec/targets/target/targettest"
	forwardclaims "github.com/rocec/rocec/validate/claims"
	"github.com/rocec/rocec/validate/proof"
)

// BenchmarkReadForwarding reads the files that rocec collect keeps of one switch, with 5,000 prefixes of FRRouting and 64 neighbours. On
// two busy cores in 2026 it took 0.004 s of processor time, and the reading has 0.4 MiB; encoding/json alone took 0.02 s.
// BenchmarkProveForwarding reads and proves a thousand.
func BenchmarkReadForwarding(b *testing.B) {
	d := &ir.Device{Name: "leaf1", Switch: &ir.Switch{}, Fabric: &ir.Fabric{}}
	d.Fabric.Devices = []*ir.Device{d}
	var routes, peers, config strings.Builder
	config.WriteString("router bgp 65101\n")
	for i := range 64 {
		fmt.Fprintf(&config, " neighbor swp%d interface remote-as external\n", i)
		fmt.Fprintf(&peers, `%s"swp%d":{"remoteAs":65001,"state":"Established"}`, strings.Repeat(",", min(i, 1)), i)
	}
	for i := range 5000 {
		fmt.Fprintf(&routes, `%s"10.%d.%d.0/24":[{"protocol":"bgp","vrfName":"default","selected":true,"table":254,"nexthops":[`,
			strings.Repeat(",", min(i, 1)), i/256, i%256)
		for k := range 4 {
			fmt.Fprintf(&routes, `%s{"fib":true,"ip":"fe80::1","afi":"ipv6","interfaceName":"swp%d","active":true}`, strings.Repeat(",", min(k, 1)),
				(i%16)*4+k)
		}
		routes.WriteString("]}]")
	}
	files := filesFor(d, map[string]string{
		"frr.conf": config.String(), "bgp-summary.json": `{"as":65101,"peers":{` + peers.String() + "}}",
		"route.json": "{" + routes.String() + "}", "forwarding.txt": kernelAnswer,
	})
	size := 0
	for i := range files { // as rocec collect keeps them
		data, _, err := targets.Keep(files[i])
		require.NoError(b, err, files[i].Name)
		files[i].Data = data
		size += len(data)
	}
	kept := make([]*ir.Forwarding, 20)
	before := heap()
	for i := range kept {
		kept[i] = targets.ReadForwarding(d, files, timeless)
	}
	after := heap()
	b.ReportAllocs()
	used := targettest.ProcessorTime(b, func() {
		for b.Loop() {
			r := targets.ReadForwarding(d, files, timeless)
			require.Len(b, r.Tables[0].Routes, 5000)
			require.Len(b, r.BGP.Peers, 64)
		}
	})
	b.ReportMetric(used.Seconds()/float64(b.N), "CPU-s/op")
	b.ReportMetric(float64(after-before)/float64(len(kept))/(1<<10), "KiB-kept")
	b.ReportMetric(float64(size)/(1<<10), "KiB-files")
	runtime.KeepAlive(kept)
}

// BenchmarkProveForwarding reads the kept routes of 992 switches with 5,376 prefixes each, judges the readings, and proves the running
// tables. On two busy cores in 2026 the reading took 3.7 s of processor time, and the judging and the proof took 1.5 s. The process had at
// most 935 MiB, with the texts of this benchmark.
func BenchmarkProveForwarding(b *testing.B) {
	f := irtest.Clos(ir.UpDown, 24, 32, 8, 4, 7).Fabric()
	f.Routes = routes.New(f)
	proofs := proof.All(f, ir.NewBudget(1e12))
	far := map[*ir.Device][]int{}
	for _, h := range f.Devices {
		if h.Host != nil {
			leaf := h.Ports[0].Peer().Device()
			far[leaf] = distances(f, leaf)
		}
	}
	runtime.GC()
	b.ReportAllocs()
	var reads, judges time.Duration
	var answer []byte
	for b.Loop() {
		seen := &forwardclaims.Seen{By: "snapshot"}
		for _, d := range f.Devices {
			if d.Switch == nil {
				continue
			}
			answer = appendRoutes(answer[:0], f, d, far)
			files := filesFor(d, map[string]string{"route.json": string(answer)})
			reads += targettest.ProcessorTime(b, func() { seen.Devices = append(seen.Devices, targets.ReadForwarding(d, files, timeless)) })
		}
		var is *forwardclaims.Result
		judges += targettest.ProcessorTime(b, func() { is = forwardclaims.Judge(f, proofs, seen, ir.NewBudget(1e12)) })
		require.Empty(b, is.Running.Why)
		require.Equal(b, proof.Free, is.Running.Of(f.CosGroups[0]).Verdict)
	}
	var is runtime.MemStats
	runtime.ReadMemStats(&is)
	b.ReportMetric(reads.Seconds()/float64(b.N), "CPU-s-read/op")
	b.ReportMetric(judges.Seconds()/float64(b.N), "CPU-s-judge/op")
	b.ReportMetric(float64(is.Sys)/(1<<20), "MiB-all")
}

// distances returns the number of links from a switch to every other one, by its ID.
func distances(f *ir.Fabric, from *ir.Device) []int {
	all := make([]int, len(f.Devices))
	for queue := []*ir.Device{from}; len(queue) > 0; queue = queue[1:] {
		for _, p := range queue[0].Ports {
			if d := p.Peer().Device(); d.Switch != nil && d != from && all[d.ID] == 0 {
				all[d.ID] = all[queue[0].ID] + 1
				queue = append(queue, d)
			}
		}
	}
	return all
}

// appendRoutes appends the routes of a switch to every host by all shortest paths, as rocec collect keeps them. far has the distances from
// the switches of hosts.
func appendRoutes(out []byte, f *ir.Fabric, d *ir.Device, far map[*ir.Device][]int) []byte {
	out = append(out, '{')
	begin := "\n"
	for _, h := range f.Devices {
		if h.Host == nil {
			continue
		}
		leaf := h.Ports[0].Peer().Device()
		out = fmt.Appendf(out, `%s"%s/32": [{"protocol":"bgp","selected":true,"vrfName":"default","table":254,"nexthops":[`, begin,
			h.Host.NICs[0].IP.Addr())
		comma := ""
		for _, p := range d.Ports {
			if q := p.Peer().Device(); q == h || q.Switch != nil && d != leaf && far[leaf][q.ID] == far[leaf][d.ID]-1 {
				out = fmt.Appendf(out, `%s{"fib":true,"interfaceName":%q}`, comma, p.Name)
				comma = ","
			}
		}
		out = append(out, "]}]"...)
		begin = ",\n"
	}
	return append(out, "\n}\n"...)
}

// heap returns the bytes of memory in use.
func heap() uint64 {
	var is runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&is)
	return is.HeapAlloc
}
