package ir_test

import (
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/compiler/ir"
)

// TestDifferences: each value of a port and of a pool makes its own difference, and an unknown value makes no difference.
func TestDifferences(t *testing.T) {
	one, two, blank := known(1), known(2), ir.Settings{Rest: &ir.PortSettings{}}
	unknown := ir.UnknownPort()
	blank.Rest = &unknown
	between := func(a, b *ir.Settings) []*ir.Difference {
		ds, whole := a.Differences(b)
		assert.True(t, whole)
		return ds
	}
	assert.Empty(t, between(one, one))
	assert.Empty(t, between(one, known(1)))
	assert.Empty(t, between(one, &blank))
	assert.Empty(t, between(&blank, one))
	assert.Empty(t, between(one, nil))
	assert.Empty(t, between(nil, one))
	ds := between(one, two)
	require.NotEmpty(t, ds)
	for _, d := range ds {
		assert.NotEqual(t, d.A, d.B, d.Field)
		if d.Field == ir.FieldPool {
			assert.Equal(t, []string{"lossless"}, d.Ports)
		} else {
			assert.Equal(t, []string{"swp1", "swp2"}, d.Ports, d.Field)
		}
	}
	for range 10 {
		assert.Equal(t, ds, between(known(1), known(2)))
	}
	// Each setting is changed alone: no setting of a detail is left out of the comparison.
	paths := settingsOf(reflect.TypeFor[ir.PortDetail](), nil)
	assert.Greater(t, len(paths), 30)
	for _, path := range paths {
		var sides [2]ir.Settings
		for n := range sides {
			d, p := ir.UnknownDetail(), ir.UnknownPort()
			fill(reflect.ValueOf(&d).Elem(), path, n)
			p.Detail = ir.NewDetail(d)
			sides[n].Set("swp1", p)
		}
		got := between(&sides[0], &sides[1])
		if assert.Len(t, got, 1, "%v", path) {
			assert.NotEqual(t, got[0].A, got[0].B, "%v", path)
		}
	}
}

// The DSCP of a NIC is a list of numbers for a person, although the settings have bits.
func TestDifferencesOfDSCP(t *testing.T) {
	sides := make([]ir.Settings, 2)
	for n, bits := range []uint64{1, 1<<26 | 1<<63} {
		p := ir.UnknownPort()
		p.Stamps = bits
		sides[n].Set("ens1", p)
	}
	got, whole := sides[0].Differences(&sides[1])
	require.True(t, whole)
	require.Len(t, got, 1)
	assert.Equal(t, ir.FieldStamps, got[0].Field)
	assert.Equal(t, "0", got[0].A)
	assert.Equal(t, "26, 63", got[0].B)
}

// TestDifferencesAreBounded: ports beyond the limit are counted, and kinds of ports beyond their limit are reported as not compared.
func TestDifferencesAreBounded(t *testing.T) {
	side := func(mtu int) *ir.Settings {
		s := &ir.Settings{Ports: map[string]*ir.PortSettings{}}
		for n := range 3000 {
			d, p := ir.UnknownDetail(), ir.UnknownPort()
			d.MTU, d.Cable = ir.Of(mtu), ir.Of(n)
			p.Detail = ir.NewDetail(d)
			s.Ports[fmt.Sprintf("swp%d", n)] = &p
		}
		return s
	}
	ds, whole := side(1500).Differences(side(9000))
	assert.False(t, whole, "each port is a kind of its own")
	require.Len(t, ds, 1)
	assert.Len(t, ds[0].Ports, 8)
	assert.Equal(t, 1<<10, len(ds[0].Ports)+ds[0].More)
	a, b := ir.UnknownPort(), ir.UnknownPort()
	a.DSCP[26], b.DSCP[26] = 3, 4
	x, y := &ir.Settings{}, &ir.Settings{}
	for n := range 3000 {
		x.Set(fmt.Sprintf("swp%d", n), a)
		y.Set(fmt.Sprintf("swp%d", n), b)
	}
	ds, whole = x.Differences(y)
	assert.True(t, whole)
	require.Len(t, ds, 1)
	assert.Equal(t, 3000, len(ds[0].Ports)+ds[0].More)
}

// settingsOf lists the paths to the settings of a type: indexes of fields, and index 3 for arrays.
func settingsOf(of reflect.Type, way []int) (out [][]int) {
	switch {
	case of.Kind() == reflect.Array:
		return settingsOf(of.Elem(), append(slices.Clone(way), 3))
	case of.Kind() != reflect.Struct || of.NumField() == 2 && of.Field(1).Name == "Is":
		return [][]int{way}
	}
	for i := range of.NumField() {
		out = append(out, settingsOf(of.Field(i).Type, append(slices.Clone(way), i))...)
	}
	return out
}

// fill sets the setting at the end of a path to the value n.
func fill(v reflect.Value, way []int, n int) {
	for _, i := range way {
		if v.Kind() == reflect.Array {
			v = v.Index(i)
		} else {
			v = v.Field(i)
		}
	}
	if v.Kind() == reflect.Struct {
		v.Field(1).SetUint(uint64(ir.Stated))
		v = v.Field(0)
	}
	number(v, n)
}

func number(v reflect.Value, n int) {
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(n == 1)
	case reflect.String:
		v.SetString([]string{"a", "b"}[n])
	case reflect.Int, reflect.Int8, reflect.Int64:
		v.SetInt(int64(n))
	case reflect.Array:
		number(v.Index(0), n)
	case reflect.Struct:
		number(v.Field(0), 3) // a limit in bytes
		number(v.Field(1), n)
	default:
		v.SetUint(uint64(n))
	}
}

// known returns settings in which every kind of value is known.
func known(n int) *ir.Settings {
	p := ir.UnknownPort()
	p.TrustKnown, p.Trust = true, ir.Trust{DSCP: n == 1, PCP: n == 2}
	p.DSCP[26], p.PCP[3] = int8(n), int8(n)
	p.PausesKnown, p.Sends, p.Obeys, p.LinkPause, p.Stamps = true, 1<<n, 1<<n, n == 1, 1<<n
	d := ir.UnknownDetail()
	for i := range 8 {
		d.Groups[i] = ir.GroupSettings{
			Buffer: ir.Of(n), Xoff: ir.Of(n), Xon: ir.Of(n), XonOffset: ir.Of(n), Headroom: ir.Of(n),
			Limit: ir.Of(ir.Limit{Kind: ir.LimitAlpha, N: n}), Pool: ir.Of([]string{"", "a", "b"}[n]), Lossless: ir.Of(n == 1),
		}
		d.Queues[i] = ir.QueueSettings{
			Strict: ir.Of(n == 1), Share: ir.Of(n), ECN: ir.Of(n == 1), MarkMin: ir.Of(n), MarkMax: ir.Of(n), Probability: ir.Of(n),
			Unmarkable: ir.Of(ir.Fate(n - 1)), Drop: ir.Of(n == 1), DropMin: ir.Of(n), DropMax: ir.Of(n),
		}
	}
	d.Watchdog.Detect = ir.Of(time.Duration(n) * time.Second)
	p.Detail = ir.NewDetail(d)
	s := &ir.Settings{Pools: map[string]ir.Pool{"lossless": {Size: ir.Of(n), Mode: ir.Of(ir.PoolMode(n - 1))}}}
	s.Set("swp1", p)
	s.Set("swp2", p)
	return s
}

// TestRoCE: a port that pauses, a lossless buffer and stated marks count as RoCE; default marks do not.
func TestRoCE(t *testing.T) {
	with := func(change func(*ir.PortSettings, *ir.PortDetail)) *ir.Settings {
		p, d := ir.UnknownPort(), ir.UnknownDetail()
		change(&p, &d)
		p.Detail = ir.NewDetail(d)
		return &ir.Settings{Rest: &p}
	}
	for _, change := range []func(*ir.PortSettings, *ir.PortDetail){
		func(p *ir.PortSettings, _ *ir.PortDetail) { p.Sends = 8 },
		func(p *ir.PortSettings, _ *ir.PortDetail) { p.Obeys = 8 },
		func(p *ir.PortSettings, _ *ir.PortDetail) { p.LinkPause = true },
		func(_ *ir.PortSettings, d *ir.PortDetail) { d.Groups[3].Lossless = ir.Of(true) },
		func(_ *ir.PortSettings, d *ir.PortDetail) { d.Groups[3].Headroom = ir.Of(1) },
		func(_ *ir.PortSettings, d *ir.PortDetail) { d.Groups[3].Xoff = ir.Of(1) },
		func(_ *ir.PortSettings, d *ir.PortDetail) { d.Queues[3].ECN = ir.Of(true) },
		func(_ *ir.PortSettings, d *ir.PortDetail) { d.PFC = ir.Of(uint8(8)) },
	} {
		assert.True(t, with(change).RoCE())
	}
	assert.False(t, with(func(_ *ir.PortSettings, d *ir.PortDetail) { d.Queues[0].ECN = ir.ByDefault(true) }).RoCE())
	assert.False(t, (*ir.Settings)(nil).RoCE())
	assert.True(t, (&ir.Settings{System: ir.System{Preset: ir.Of("lossless")}}).RoCE())
}
