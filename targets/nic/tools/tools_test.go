package tools

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/target"
)

var update = flag.Bool("update", false, "write the readings of testdata")

// describe returns a reading as text: the settings of each port, and the coverage.
func describe(u *target.Understood) string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	s := u.Settings
	line("%s; driver %s; firmware %s", s.Moment, s.System.Driver.Value, s.System.Firmware.Value)
	for _, name := range slices.Sorted(maps.Keys(s.Ports)) {
		p, d := s.Ports[name], s.Ports[name].Detail.Get()
		line("%s", name)
		if p.TrustKnown {
			line("  trusts %v", p.Trust)
		}
		var dscp []string
		for v, prio := range p.DSCP {
			if prio >= 0 {
				dscp = append(dscp, fmt.Sprintf("%d:%d", v, prio))
			}
		}
		if dscp != nil {
			line("  dscp %s", strings.Join(dscp, " "))
		}
		if p.PCP != ir.UnknownPort().PCP {
			line("  pcp %v", p.PCP)
		}
		if p.PausesKnown {
			line("  sends %08b obeys %08b link pause %v", p.Sends, p.Obeys, p.LinkPause)
		}
		if d.PFC.Known() {
			line("  pfc %08b", d.PFC.Value)
		}
		line("  strict %08b share %v", p.Strict, p.Share)
		line("  class %v buffer %v", d.Queue, d.Group)
		for i := range 8 {
			if q := d.Queues[i]; q != (ir.QueueSettings{}) {
				line("  class %d: strict %v share %v most %v", i, q.Strict, q.Share, q.MaxRate)
			}
			if g := d.Groups[i]; g != (ir.GroupSettings{}) {
				line("  buffer %d: %v xoff %v xon %v lossless %v", i, g.Buffer, g.Xoff, g.Xon, g.Lossless)
			}
		}
		for v := range 64 {
			if p.Stamps>>v&1 == 1 {
				line("  stamps %d", v)
			}
		}
		line("  cable %v mtu %v speed %v vlan %v", d.Cable, d.MTU, d.Speed, d.VLANMap)
	}
	c := u.Coverage
	line("%d rows", c.Rows)
	for _, f := range ir.Fields() {
		if c.Means[f] > 0 {
			line("  %s: %d", f, c.Means[f])
		}
	}
	for _, why := range slices.Sorted(maps.Keys(c.Aside)) {
		line("  aside, %s: %d", why, c.Aside[why])
	}
	for _, n := range c.Not {
		line("  not: %d: %s (%s)", n.At.Start.Line, n.Row, n.Why)
	}
	return b.String()
}

// Each file of testdata is a host. The file of the same name with .want contains the expected reading.
func TestReadings(t *testing.T) {
	files, err := filepath.Glob("testdata/*")
	require.NoError(t, err)
	for _, file := range files {
		if strings.HasSuffix(file, ".want") || strings.HasSuffix(file, "fuzz") {
			continue
		}
		t.Run(filepath.Base(file), func(t *testing.T) {
			got := describe(Understand(target.Identity{}, map[string][]byte{filepath.Base(file): read(t, file)}))
			if *update {
				require.NoError(t, os.WriteFile(file+".want", []byte(got), 0o644))
			}
			assert.Equal(t, string(read(t, file+".want")), got)
		})
	}
}

func read(t testing.TB, file string) []byte {
	t.Helper()
	b, err := os.ReadFile(file)
	require.NoError(t, err)
	return b
}

// describe returns facts as text.
func (f facts) describe() string { return fmt.Sprintf("%+v", f) }
