package facts

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/judge"
	"github.com/rocec/rocec/validate/walk"
)

// value returns the value of a setting; empty if the setting is missing.
func value(sections []Section, name string) string {
	for _, s := range sections {
		for _, v := range s.Settings {
			if v.Name == name {
				return v.Value
			}
		}
	}
	return ""
}

// The settings that were read at a port are shown instead of the wanted ones.
func TestReadPort(t *testing.T) {
	f := judge.Judge(t.Context(), os.DirFS("../../../../examples/clos-v2-ecn"), ".", judge.Options{}).Fabric
	d, err := FindDevice(f, "leaf01")
	require.NoError(t, err)
	p, err := FindPort(d, "swp1")
	require.NoError(t, err)
	plain := Port(&walk.Settings{}, p)

	wanted := d.Wanted()
	read := *wanted.Ports["swp1"]
	detail := read.Detail.Get()
	cos := p.Buffers()[0].Group.Cos
	g, q := &detail.Groups[detail.Group[cos]], &detail.Queues[detail.Queue[cos]]
	g.Buffer, g.Xoff, g.Xon = ir.Of(g.Buffer.Value+5000), ir.Of(g.Xoff.Value+1000), ir.Of(g.Xon.Value+400)
	q.MarkMin, q.Probability = ir.Of(12345), ir.Of(7)
	read.Detail = ir.NewDetail(detail)
	set := &walk.Settings{Read: map[*ir.Device]*ir.Settings{d: {Ports: map[string]*ir.PortSettings{"swp1": &read}}}}
	sections := Port(set, p)
	b := p.Buffers()[0]
	for name, want := range map[string]int{
		"buffer": g.Buffer.Value, "xoff": g.Xoff.Value, "xon": g.Xon.Value, "xon_delta": g.Xoff.Value - g.Xon.Value,
		"headroom": b.Headroom() + 4000, "min": 12345, "max": q.MarkMax.Value,
	} {
		assert.Equal(t, amount(want), value(sections, name), name)
	}
	assert.Equal(t, "7 %", value(sections, "probability"))
	assert.Equal(t, value(plain, "speed"), value(sections, "speed"))

	line := entryLine(set, p, b.Group)
	assert.NotEqual(t, entryLine(&walk.Settings{}, p, b.Group), line)
	read.Sends = 0
	assert.Contains(t, entryLine(set, p, b.Group), "does not pause priority")
}
