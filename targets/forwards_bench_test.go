package targets_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets"
)

// BenchmarkReadForwarding reads one switch with 5,000 prefixes of FRRouting and 64 neighbours.
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
	b.ReportAllocs()
	for b.Loop() {
		r := targets.ReadForwarding(d, files, timeless)
		require.Len(b, r.Tables[0].Routes, 5000)
		require.Len(b, r.BGP.Peers, 64)
	}
}
