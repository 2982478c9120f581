package cumulus

import (
	"strconv"
	"sync"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/cumulus/grammar"
)

// The pools that rocec writes where the fabric asks for them are those of the vendor's preset for lossless RoCE. Source: the RoCE chapter
// of 3.7, which prints the file after the command storage-optimized pfc.
const (
	lossyPool, losslessPool   = 0, 1
	poolPercent               = 50
	presetQuota, lossyQuota   = 9, 11 // codes: alpha 2 and 8
	multicastQuota, dynamicOn = 9, 1
)

// added returns the settings that rocec gives a switch in addition to those of the fabric, under the names that the readers of files and of
// NVUE use. They depend on the release and on the config attribute of the switch. Up to 4.3 the three priority groups of traffic.conf
// divide the link by their weights. Where rocec also writes the memory, all three have the same number on the chip.
func added() *addedTable {
	addedOnce.Do(func() { addedAll = newAdded() })
	return addedAll
}

type addedTable struct{ byClass, split, memory, nvue, watched ir.Added }

var (
	addedOnce sync.Once
	addedAll  *addedTable
)

func newAdded() *addedTable {
	a := &addedTable{}
	a.byClass = ir.Added{Lossy: ir.LossyByClass}
	a.split = ir.Added{Lossy: ir.LossyJoined, Pools: splitPools()}
	a.memory = ir.Added{Lossy: ir.LossyJoined, Pools: writtenPools()}
	a.nvue = ir.Added{Pools: &ir.AddedPools{Pools: nvuePools()}}
	a.watched = ir.Added{Pools: a.nvue.Pools, Watchdog: ir.WatchdogSettings{Action: ir.ByDefault(ir.WatchdogDrop)}}
	return a
}

// The names of the memory pools in NVUE where the RoCE preset is off. Lossless traffic gets half of the memory.
const (
	PoolLossless = "default-lossless"
	PoolLossy    = "default-lossy"
	PoolPercent  = poolPercent
)

func nvuePools() map[string]ir.Pool {
	half := ir.Pool{Ingress: true, Egress: true, Percent: ir.Of(PoolPercent)}
	return map[string]ir.Pool{PoolLossless: half, PoolLossy: half}
}

func alpha(n int) ir.Setting[ir.Limit] { return ir.Of(ir.Limit{Kind: ir.LimitAlpha, N: n}) }

func poolNamed(f grammar.Feature, n int) ir.Setting[string] {
	return ir.Of(string(f) + "." + strconv.Itoa(n))
}

// onBothSides returns the lossy and the lossless pool on ingress and on egress, by name. The function of completes each pool.
func onBothSides(of func(f grammar.Feature, p *ir.Pool, n int)) map[string]ir.Pool {
	out := map[string]ir.Pool{}
	for _, f := range []grammar.Feature{grammar.IngressPool, grammar.EgressPool} {
		for _, n := range []int{lossyPool, losslessPool} {
			p := ir.Pool{Ingress: f == grammar.IngressPool, Egress: f == grammar.EgressPool, Percent: ir.Of(poolPercent)}
			of(f, &p, n)
			out[poolNamed(f, n).Value] = p
		}
	}
	return out
}

// splitPools returns the pools that rocec writes into qos_infra.conf.
func splitPools() *ir.AddedPools {
	return &ir.AddedPools{
		Pools: onBothSides(func(f grammar.Feature, p *ir.Pool, n int) {
			if n == losslessPool {
				p.Mode = ir.Of(ir.PoolDynamic)
			}
			if n == losslessPool && f == grammar.EgressPool {
				p.Infinite = ir.Of(true)
			}
		}),
		LosslessGroup: ir.InPool{Pool: poolNamed(grammar.IngressPool, losslessPool), Limit: alpha(0)},
		LosslessQueue: ir.InPool{Pool: poolNamed(grammar.EgressPool, losslessPool), Limit: ir.Of(ir.Limit{})},
		LossyGroup:    ir.InPool{Pool: poolNamed(grammar.IngressPool, lossyPool)},
	}
}

// writtenPools returns the pools that rocec writes into datapath.conf where the fabric has memory = "written".
func writtenPools() *ir.AddedPools {
	return &ir.AddedPools{
		Idle: true,
		Pools: onBothSides(func(f grammar.Feature, p *ir.Pool, n int) {
			if p.Mode = ir.Of(ir.PoolDynamic); n == losslessPool && f == grammar.EgressPool {
				p.Percent = ir.Of(100)
			}
		}),
		LosslessGroup: ir.InPool{Pool: poolNamed(grammar.IngressPool, losslessPool), Limit: alpha(1)},
		LosslessQueue: ir.InPool{Pool: poolNamed(grammar.EgressPool, losslessPool)},
		LossyGroup:    ir.InPool{Pool: poolNamed(grammar.IngressPool, lossyPool), Limit: alpha(3)},
		LossyQueue:    ir.InPool{Pool: poolNamed(grammar.EgressPool, lossyPool), Limit: alpha(3)},
	}
}
