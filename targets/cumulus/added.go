package cumulus

import (
	"strconv"
	"sync"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/cumulus/grammar"
)

// What rocec writes where the fabric asks for it: the pools of the vendor's own preset for lossless RoCE. Source: the RoCE chapter of
// 3.7, which prints the file as storage-optimized pfc leaves it.
const (
	lossyPool, losslessPool   = 0, 1
	poolPercent               = 50
	presetQuota, lossyQuota   = 9, 11 // codes: alpha 2 and 8
	multicastQuota, dynamicOn = 9, 1
)

// added returns the settings that rocec gives a switch in addition to those of the fabric, under the names that the readers of files and
// of NVUE use. They depend on how the switch is configured. Up to 4.3 the three priority groups of traffic.conf are the classes of shares;
// with the memory they have one number on the chip.
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

// The pools of memory that NVUE has without the preset. Lossless traffic gets half of the memory.
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

// onBothSides names the pools of both sides.
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

// splitPools is the pools of qos_infra.conf.
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

// writtenPools is the pools of datapath.conf where the fabric has rocec write it.
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
