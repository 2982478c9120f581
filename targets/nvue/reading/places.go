package reading

import (
	"cmp"
	"strconv"
	"sync"

	"github.com/rocec/rocec/compiler/ir"
)

// places calls add for the paths of the tree that may state a value of a port. A path that overrides others comes before them.
func (r *reading) places(port string, f ir.Field, index int, add func(path ...string)) {
	n := strconv.Itoa(index)
	holder := cmp.Or(r.bonds[port], port)
	b := r.boundOf(port)
	advance := func(path ...string) { add(append([]string{"qos", "advance-buffer-config", global}, path...)...) }
	profile := func(table, name string, keys ...string) {
		if len(keys) > 0 {
			add(append([]string{"qos", table, cmp.Or(name, global)}, keys...)...)
			return
		}
		add("interface", holder, "qos", table, "profile")
		add("qos", table, cmp.Or(name, global))
	}
	pauses := func(key string) {
		profile("pfc", b.pfc, key)
		if key == "cable-length" {
			add("qos", "roce", key)
		}
		profile("link-pause", b.pause, key)
	}
	class := func(table, name string, keys ...string) {
		for _, key := range keys {
			profile(table, name, "traffic-class", n, key)
		}
		profile(table, name, "traffic-class", n)
		profile(table, name)
	}
	limits := func(side string, of []string, keys ...string) {
		for _, key := range keys {
			advance(append(append([]string{side + "-lossy-buffer"}, of...), key)...)
			advance(side+"-lossless-buffer", key)
		}
	}
	group := func(keys ...string) {
		lossy := r.set.Get("qos", "advance-buffer-config", global, "ingress-lossy-buffer", "priority-group")
		for _, name := range lossy.Keys() {
			if lossy.Get(name, "switch-priority", n) != nil {
				limits("ingress", []string{"priority-group", name}, keys...)
			}
		}
		limits("ingress", []string{"priority-group", "bulk"}, keys...)
	}
	switch f {
	case ir.FieldTrust:
		profile("mapping", b.mapping, "trust")
		profile("mapping", b.mapping)
	case ir.FieldDSCP:
		profile("mapping", b.mapping, "dscp", n, "switch-priority")
		profile("mapping", b.mapping)
	case ir.FieldPCP:
		profile("mapping", b.mapping, "pcp", n, "switch-priority")
		profile("mapping", b.mapping)
	case ir.FieldDefaultCos:
		profile("mapping", b.mapping, "port-default-sp")
	case ir.FieldQueue:
		add("qos", "egress-queue-mapping", global, "switch-priority", n, "traffic-class")
	case ir.FieldGroup:
		group("switch-priority")
	case ir.FieldPauses:
		profile("pfc", b.pfc, "switch-priority", n)
		profile("pfc", b.pfc, "switch-priority")
		profile("pfc", b.pfc)
		add("qos", "roce", "mode")
	case ir.FieldLinkPause:
		profile("link-pause", b.pause)
	case ir.FieldRewrite:
		profile("remark", b.remark, "rewrite")
		profile("remark", b.remark)
	case ir.FieldShaper:
		profile("egress-shaper", b.shaper, "port-max-rate")
		profile("egress-shaper", b.shaper)
	case ir.FieldMinRate:
		class("egress-shaper", b.shaper, "min-rate")
	case ir.FieldMaxRate:
		class("egress-shaper", b.shaper, "max-rate")
	case ir.FieldWatchdog:
		add("interface", port, "qos", "pfc-watchdog", "state")
		add("interface", port, "qos", "pfc-watchdog")
		add("qos", "pfc-watchdog")
	case ir.FieldSpeed:
		add("interface", port, "link", "speed")
	case ir.FieldMTU:
		add("interface", holder, "link", "mtu")
		add("interface", port, "link", "mtu")
	case ir.FieldCable:
		pauses("cable-length")
	case ir.FieldBuffer:
		pauses("port-buffer")
		group("reserved")
	case ir.FieldXoff:
		pauses("xoff-threshold")
	case ir.FieldXon:
		pauses("xon-threshold")
	case ir.FieldHeadroom: // the buffer less xoff
		pauses("port-buffer")
		group("headroom")
	case ir.FieldGroupLimit:
		group("shared-alpha", "shared-bytes")
	case ir.FieldGroupPool:
		group("service-pool")
	case ir.FieldStrict:
		class("egress-scheduler", b.scheduler, "mode")
	case ir.FieldShare:
		class("egress-scheduler", b.scheduler, "bw-percent")
	case ir.FieldMarking: // a class that no profile lists has no place: a finding has the place that makes the class lossless
		for _, key := range []string{"ecn", "min-threshold", "max-threshold", "probability"} {
			profile("congestion-control", b.ecn, "traffic-class", n, key)
		}
		profile("congestion-control", b.ecn, "traffic-class", n)
	case ir.FieldUnmarkable, ir.FieldDrop:
		class("congestion-control", b.ecn, "red")
	case ir.FieldQueueLimit:
		limits("egress", []string{"traffic-class", n}, "shared-alpha", "shared-bytes")
	case ir.FieldQueuePool:
		limits("egress", []string{"traffic-class", n}, "service-pool")
	case ir.FieldPool:
		add("qos", "traffic-pool", port)
	case ir.FieldPreset:
		add("qos", "roce", "mode")
		add("qos", "roce")
	case ir.FieldSystem:
		add("header", "version")
		add("header", "model")
	}
	if r.preset && ofPreset()[f] {
		add("qos", "roce")
	}
}

// ofPreset returns the fields that the preset sets.
var ofPreset = sync.OnceValue(func() map[ir.Field]bool {
	return map[ir.Field]bool{
		ir.FieldTrust: true, ir.FieldDSCP: true, ir.FieldPCP: true, ir.FieldQueue: true, ir.FieldPauses: true, ir.FieldCable: true,
		ir.FieldGroup: true, ir.FieldGroupPool: true, ir.FieldGroupLimit: true, ir.FieldQueueLimit: true, ir.FieldQueuePool: true,
		ir.FieldStrict: true, ir.FieldShare: true, ir.FieldMarking: true, ir.FieldUnmarkable: true, ir.FieldDrop: true, ir.FieldPool: true,
		ir.FieldBuffer: true, ir.FieldXoff: true, ir.FieldXon: true, ir.FieldHeadroom: true,
	}
})
