package tools

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/target"
	"github.com/rocec/rocec/targets/target/targettest"
)

// In each format that can list many ports, ten thousand ports need at most 12 times the processor time in which the output of dcb about
// them is split into words. That is half a second on the machine for which the limit was chosen. Equal ports share one value.
func TestManyPorts(t *testing.T) {
	qos := string(read(t, "testdata/mlx5.txt"))
	qos = qos[:strings.Index(qos, "[root@gpu07 ~]# ethtool -S")]
	dcb := string(read(t, "testdata/dcb.txt"))
	link := `{"ifindex":4,"ifname":"eth0","flags":["BROADCAST","UP"],"mtu":9000,"qdisc":"mq","link_type":"ether","promiscuity":0,"min_mtu":68}`
	each := func(text, name string) []byte {
		var b strings.Builder
		for i := range 10000 {
			b.WriteString(strings.ReplaceAll(text, name, fmt.Sprintf("e%d", i)))
		}
		return []byte(b.String())
	}
	const most = 12
	all, words := each(dcb, "eth0"), 0
	split := func() {
		for line := range bytes.Lines(all) {
			words += len(strings.Fields(string(line)))
		}
	}
	for name, content := range map[string][]byte{
		"mlnx_qos": each(qos, "ens3f0np0"), "dcb": all, "json": each(link+"\n", "eth0"),
		"script": append([]byte("#!/bin/sh\n"), each("mlnx_qos -i eth0 --pfc 0,0,0,1,0,0,0,0\nethtool -A eth0 rx off tx off\n", "eth0")...),
	} {
		t.Run(name, func(t *testing.T) {
			var u *target.Understood
			read := func() { u = Understand(target.Identity{}, map[string][]byte{"host.txt": content}) }
			times := 1e9
			for range 5 { // other work on the machine adds to either time
				if times >= most {
					before, used := targettest.ProcessorTime(t, split), targettest.ProcessorTime(t, read)
					times = min(times, float64(used)/float64(max(before, time.Millisecond)))
				}
			}
			assert.Len(t, u.Settings.Ports, 10000)
			kinds := map[*ir.PortSettings]bool{}
			for _, p := range u.Settings.Ports {
				kinds[p] = true
			}
			assert.Len(t, kinds, 1)
			t.Logf("%d bytes, %.1f times", len(content), times)
			assert.Less(t, times, float64(most))
		})
	}
}

// Fifty megabytes are refused. Any smaller text is read, and the number of listed rows is bounded.
func TestBounds(t *testing.T) {
	u := Understand(target.Identity{}, map[string][]byte{"host.txt": bytes.Repeat([]byte("mlnx_qos -i eth0\n"), 3<<20)})
	assert.Equal(t, 1, u.Coverage.Rows)
	assert.Len(t, u.Coverage.Not, 1)
	for name, content := range map[string][]byte{
		"lines": bytes.Repeat([]byte("noise of another tool\n"), 1<<20), "one line": bytes.Repeat([]byte("x "), 8<<20),
		"brackets": bytes.Repeat([]byte("[\n"), 1<<20), "braces": bytes.Repeat([]byte("{"), 8<<20),
		"quotes": bytes.Repeat([]byte("$ '\n"), 1<<20),
		"script": append([]byte("#!/bin/sh\n"), bytes.Repeat([]byte("if for mlnx_qos -i $x --pfc 1\\\n"), 1<<19)...),
	} {
		t.Run(name, func(t *testing.T) {
			used := targettest.ProcessorTime(t, func() { u = Understand(target.Identity{}, map[string][]byte{"host.txt": content}) })
			assert.LessOrEqual(t, len(u.Coverage.Not), mostMissed+1)
			t.Logf("%d bytes, %v, %d rows", len(content), used, u.Coverage.Rows)
			assert.Less(t, used, 10*time.Second)
		})
	}
}
