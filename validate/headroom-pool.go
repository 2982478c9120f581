package validate

import (
	"cmp"
	"slices"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
)

// HeadroomPool reports shared pools that cannot hold every headroom at once.
var HeadroomPool = &Check{
	Code:    "headroom-pool",
	Summary: "a shared headroom pool cannot catch every port",
	Answers: []string{"K12"},
	Run: func(p *Pass) {
		type key struct {
			decl diag.Range
			mem  ir.Memory
		}
		var found folds[key, *ir.Device]
		for _, d := range p.Fabric.Devices {
			if d.Switch == nil || !d.Switch.HeadroomPool.Set() {
				continue
			}
			if m := d.Memory(); m.Buffers > 0 && m.Pool < m.Headroom {
				found.add(key{d.Decl, m}, d)
			}
		}
		found.each(func(k key, all []*ir.Device) {
			d, m := all[0], k.mem
			who := d.Name + andMore(len(all), "switch")
			at := diag.FirstPlace(d.Switch.HeadroomPool.At(), d.Decl)
			if m.Pool < m.Largest {
				p.Errorf(at, "The headroom pool of %s is %s, but one port alone can receive %s after a pause: even a single pause loses frames. "+
					"Make it %s, the sum of all headrooms, or leave it out.", who, diag.Bytes(m.Pool), diag.Bytes(m.Largest),
					diag.Bytes(m.Headroom))
				return
			}
			p.Warnf(at, "The headroom pool of %s is %s, and all headrooms together are %s: the pool covers %d of %d port buffers at once. If "+
				"more of them pause together, frames are lost, so this is lossless only statistically. Make it as large as the sum, or leave "+
				"it out, where the memory allows it.", who, diag.Bytes(m.Pool), diag.Bytes(m.Headroom), caught(d, m.Pool), m.Buffers)
		})
	},
}

// caught returns how many headrooms fit into a pool at once, the largest first.
func caught(d *ir.Device, pool int) int {
	var rooms []int
	for _, p := range d.Ports {
		rooms = append(rooms, p.Headrooms()...)
	}
	slices.SortFunc(rooms, func(a, b int) int { return cmp.Compare(b, a) })
	n := 0
	for _, r := range rooms {
		if pool -= r; pool < 0 {
			break
		}
		n++
	}
	return n
}
