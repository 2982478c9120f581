package walk_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/compiler/compilertest"
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/validate/walk"
)

// readOf follows the first intent from a1 to b1. The settings of leaf2 were read: those of the fabric, with an edit.
func readOf(t *testing.T, edit func(*ir.PortSettings, *ir.PortDetail)) (leaf *walk.Hop, cnp *walk.Walk) {
	t.Helper()
	f := compilertest.Compile(t, sound)
	d := device(f, "leaf2")
	read := &ir.Settings{}
	for name, p := range d.Wanted().Ports {
		set, detail := *p, p.Detail.Get()
		edit(&set, &detail)
		set.Detail = ir.NewDetail(detail)
		read.Set(name, set)
	}
	q := walk.Question{Fabric: f, Intent: f.Intents[0], Settings: &walk.Settings{Read: map[*ir.Device]*ir.Settings{d: read}}}
	q.From, q.To = walk.Ends(q.Intent, device(f, "a1"), "")[0], walk.Ends(q.Intent, device(f, "b1"), "")[0]
	tr, err := walk.Run(q)
	require.NoError(t, err)
	require.Equal(t, "leaf2", tr.Data.Hops[3].Devices[0].Name)
	return tr.Data.Hops[3], tr.CNP
}

// A walk uses the settings that were read from a device.
func TestReadSettings(t *testing.T) {
	leaf, cnp := readOf(t, func(*ir.PortSettings, *ir.PortDetail) {})
	plain := traced(t, compilertest.Compile(t, sound))
	assert.Equal(t, plain.Data.Hops[3].Sort.At, leaf.Sort.At, "read settings equal to the fabric's")
	assert.True(t, leaf.Read && !leaf.Unsorted && !plain.Data.Hops[3].Read)
	assert.Equal(t, spelled(plain.CNP), spelled(cnp))
	assert.Equal(t, plain.Data.Hops[3].Out[0].Max, leaf.Out[0].Max)

	leaf, cnp = readOf(t, func(p *ir.PortSettings, d *ir.PortDetail) {
		p.DSCP[26], p.DSCP[48] = 3, 4
	})
	assert.Equal(t, 3, leaf.Sort.Cos)
	assert.Nil(t, leaf.Sort.Group)
	assert.Empty(t, leaf.Sort.At.Filename, "no line of the fabric has this result")
	assert.Equal(t, "b1:6 leaf2:4 spine1x2:6 leaf1:6 a1:6", spelled(cnp))
	assert.Equal(t, "rdma", cnp.Hops[1].Sort.Group.Name)

	leaf, _ = readOf(t, func(p *ir.PortSettings, d *ir.PortDetail) { p.Trust = ir.Trust{PCP: true} })
	assert.Equal(t, "its default, as there is no PCP", leaf.Sort.By)
	leaf, _ = readOf(t, func(p *ir.PortSettings, d *ir.PortDetail) { p.TrustKnown = false })
	assert.True(t, leaf.Unsorted, "no file states it")
	assert.Equal(t, 4, leaf.Sort.Cos, "so it is the fabric's")

	leaf, _ = readOf(t, func(p *ir.PortSettings, d *ir.PortDetail) {
		p.Sends = 0
		g := &d.Groups[d.Group[4]]
		g.Buffer, g.Xoff = ir.Of(70_000), ir.Of(20_000)
		q := &d.Queues[d.Queue[4]]
		q.MarkMin, q.MarkMax, q.Probability, q.Strict = ir.Of(1000), ir.Of(2000), ir.Of(3), ir.Of(true)
		d.MTU = ir.Of(1500)
	})
	in, out := leaf.In[0], leaf.Out[0]
	assert.False(t, in.Pauses)
	assert.True(t, out.Pauses)
	assert.Equal(t, [2]int{50_000, 20_000}, [2]int{in.Headroom(), in.Xoff})
	assert.Equal(t, [3]int{1000, 2000, 3}, [3]int{out.Min, out.Max, out.Probability})
	assert.Equal(t, ir.Of(true), out.Strict)
	assert.Equal(t, 1500, out.MTU)

	leaf, _ = readOf(t, func(p *ir.PortSettings, d *ir.PortDetail) { *p, *d = ir.UnknownPort(), ir.UnknownDetail() })
	assert.False(t, leaf.In[0].Pauses || leaf.In[0].Sized || leaf.Out[0].Marks)
}
