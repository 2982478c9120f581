package sonic

import (
	"fmt"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/platform"
	"github.com/rocec/rocec/lang/diag"
)

// memory returns how SONiC divides the memory of a chip. BUFFER_POOL and the profiles from the template of the hwsku decide it, and rocec
// does not change them. A lossless priority group first fills its share of the pool, which dynamic_th sets. xoff is the room above that
// share for packets that arrive after the pause. In saibuffer.h the threshold of a priority group applies to the shared part, and the
// reserved part contains the headroom. Most hwskus of Spectrum have two ingress pools of equal size, one for lossless traffic alone.
// Hwskus whose names begin with Mellanox-, and all hwskus with Broadcom's chips, have one pool with a headroom pool in it.
//
// Chips without a template, and memory = "written", have the zero model.
func memory(a *platform.ASIC, _ string, written bool) ir.MemoryModel {
	of := chips[a.Name]
	if written || of.pools == noTemplate {
		return ir.MemoryModel{}
	}
	m := ir.MemoryModel{
		Percent: 100, PercentFrom: "assumed; rules check the pools of the switch: the templates have one pool for all arriving traffic",
		Alpha:     alphaOf(of.alpha),
		AlphaFrom: fmt.Sprintf("assumed; rules check the thresholds of the switch: a dynamic_th of %d in the lookup files", of.alpha),
		XoffFrom:  "from SAI: the room above the share of the pool",
	}
	if of.pools == twoPools {
		m.Pool, m.Percent = true, 50
		m.PercentFrom = "assumed; rules check the pools of the switch: the templates of most hwskus have two pools of equal size"
	}
	return m
}

// alphaOf converts a dynamic_th to a share: 2 to the power of dynamic_th.
func alphaOf(exponent int) ir.Alpha {
	if exponent < 0 {
		return ir.Alpha{Num: 1, Den: 1 << min(-exponent, 8)}
	}
	return ir.Alpha{Num: 1 << min(exponent, 7), Den: 1}
}

// CheckMemory refuses memory = "written".
func CheckMemory(d *ir.Device) (ds diag.List) {
	if !d.Switch.MemoryWritten {
		return nil
	}
	e := topicMemory.Errorf(&ds, diag.FirstPlace(d.Switch.MemoryAt, d.Decl), "The switch block has memory = \"written\", and rocec "+
		"does not write SONiC's memory pools: they come with the template of the hwsku, and their size cannot change while traffic "+
		"runs.")
	e.Fix = &diag.Fix{Message: "remove memory"}
	return ds
}
