package validate

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
)

// BufferOvercommitted reports switches whose lossless ports reserve too much memory.
var BufferOvercommitted = &Check{
	Code:    "buffer-overcommitted",
	Summary: "lossless ports reserve too much of the chip's memory",
	Answers: []string{"K12", "C12"},
	Run: func(p *Pass) {
		type key struct {
			decl diag.Range
			mem  ir.Memory
		}
		var found folds[key, *ir.Device]
		for _, d := range p.Fabric.Devices {
			if d.Switch == nil {
				continue
			}
			if m := d.Memory(); m.Buffers > 0 && m.Shared()*100 < m.Chip*ir.SharedLeast {
				found.add(key{d.Decl, m}, d)
			}
		}
		found.each(func(k key, all []*ir.Device) { p.overcommitted(k.mem, all) })
	},
}

func (p *Pass) overcommitted(m ir.Memory, all []*ir.Device) {
	d := all[0]
	from := d.Reserves()
	largest := slices.MaxFunc(from, func(a, b ir.Reserve) int {
		return cmp.Or(cmp.Compare(a.Bytes, b.Bytes), -cmp.Compare(slices.Index(from, a), slices.Index(from, b)))
	})
	who, have, its := d.Name, "has", "Its"
	if len(all) > 1 {
		who, have, its = d.Name+andMore(len(all), "switch"), "have each", "The"
	}
	rest := ""
	if m.Rest > 0 {
		rest = fmt.Sprintf(" and the chip keeps %s for the rest", diag.Bytes(m.Rest))
	}
	report, verdict := p.Errorf, ""
	switch shared := m.Shared(); {
	case m.Lossless > m.Chip:
		verdict = fmt.Sprintf("That is %s more than the chip has: buffers overflow, and frames of lossless groups are lost.",
			diag.Bytes(m.Lossless-m.Chip))
	case shared < m.Least:
		verdict = fmt.Sprintf("%s remain shared, less than two frames for each lossless buffer (%s): ports pause all the time, or "+
			"lose frames.", diag.Bytes(max(shared, 0)), diag.Bytes(m.Least))
	default:
		report = p.Warnf
		verdict = fmt.Sprintf("%s remain shared, %d %% of the memory: ports pause at the first burst.", diag.Bytes(shared), shared*100/m.Chip)
	}
	pool := " A headroom_pool would free memory, but traffic would be lossless only statistically."
	if m.Pool > 0 {
		pool = ""
	}
	at := diag.FirstPlace(largest.Group.Sizes().Buffer.At(), d.Switch.ModelAt, d.Decl)
	report(at, "%s %s %s of packet buffer (%s). %s %s reserve %s%s. %s Shorter cables, fewer lossless groups or ports, or another "+
		"model help.%s", who, have, diag.Bytes(m.Chip), d.Switch.Model.ASIC.Title, its, diag.Count(m.Buffers, "lossless buffer"),
		diag.Bytes(m.Lossless), rest, verdict, pool).
		Note(largest.At, "%s: %s of cos group %q reserve the most, %s", largest.Block, diag.Count(largest.Buffers, "buffer"),
			largest.Group.Name, diag.Bytes(largest.Bytes))
}
