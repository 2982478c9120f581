package targets_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets"
	"github.com/rocec/rocec/targets/target/targettest"
)

// BenchmarkReadForwarding reads the files that rocec collect keeps of one switch, with 5,000 prefixes of FRRouting and 64 neighbours. On
// two busy cores in 2026 it took 0.02 s of processor time, and the reading has 0.4 MiB. So 1,000 such switches take 20 s and 400 MiB.
// Half of the time is the scan of encoding/json. BenchmarkRunning of validate/claims proves such readings.
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

// heap returns the bytes of memory in use.
func heap() uint64 {
	var is runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&is)
	return is.HeapAlloc
}
