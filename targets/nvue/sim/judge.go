package sim

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// defaults returns the values that apply if nothing is set: the factory's tree of QoS, and the release's defaults. Source: full tree of
// 5.5.1 as published in the automation workshop; reference of NVUE for the later spellings.
func defaults(r release) tree {
	t := tree{}
	eight := func(v func(n int) any) tree {
		out := tree{}
		for n := range 8 {
			out[fmt.Sprint(n)] = v(n)
		}
		return out
	}
	all := eight(func(int) any { return tree{} })
	t.put(eight(func(n int) any { return tree{"switch-priority": int64(n)} }), "qos", "mapping", "default-global", "pcp")
	t.put("l2", "qos", "mapping", "default-global", "trust")
	t.put(int64(0), "qos", "mapping", "default-global", "port-default-sp")
	t.put(eight(func(n int) any { return tree{"traffic-class": int64(n)} }),
		"qos", "egress-queue-mapping", "default-global", "switch-priority")
	t.put(eight(func(n int) any { return tree{"mode": "dwrr", "bw-percent": int64(12 + n%2)} }),
		"qos", "egress-scheduler", "default-global", "traffic-class")
	t.put(marks(), "qos", "congestion-control", "default-global", "traffic-class", "0")
	t.put(tree{"memory-percent": int64(100), "switch-priority": all}, "qos", "traffic-pool", "default-lossy")
	for _, empty := range []string{"pfc", "link-pause", "egress-shaper"} {
		t.put(tree{}, "qos", empty)
	}
	key, off, on := spell(r)
	t.put(off, "qos", "roce", key)
	t.put(off, "router", "adaptive-routing", key)
	save := off
	if r >= 9 {
		save = on
	}
	t.put(save, "system", "config", "auto-save", key)
	in, out := "ingress-pool", "egress-pool"
	if r >= 11 {
		in, out = "ingress-service-pool", "egress-service-pool"
	}
	for _, k := range []string{in, out} {
		t.put(tree{"memory-percent": int64(100), "mode": "dynamic"}, "qos", "advance-buffer-config", "default-global", k, "0")
	}
	t.put(tree{"service-pool": "0", "switch-priority": all.clone()},
		"qos", "advance-buffer-config", "default-global", "ingress-lossy-buffer", "priority-group", "bulk")
	return t
}

// marks is the ECN of the factory on traffic class 0, and of the preset on class 3.
func marks() tree {
	return tree{
		"ecn": "enable", "red": "disable", "min-threshold": int64(150000), "max-threshold": int64(1500000), "probability": int64(100),
	}
}

// spell returns the words of a release for off and on; 5.15 has renamed them.
func spell(r release) (key, off, on string) {
	if r >= 15 {
		return "state", "disabled", "enabled"
	}
	return "enable", "off", "on"
}

// preset returns the values that qos roce sets; nil: it is off.
func preset(t tree, r release) tree {
	key, off, _ := spell(r)
	roce := t.sub("qos", "roce")
	if roce == nil || roce.text(key) == off {
		return nil
	}
	p := tree{}
	p.put("both", "mapping", "default-global", "trust")
	for n := range 8 {
		class, sp := int64(0), fmt.Sprint(n)
		if n == 3 || n == 6 {
			class = int64(n)
		}
		p.put(class, "egress-queue-mapping", "default-global", "switch-priority", sp, "traffic-class")
		share := tree{"mode": "dwrr", "bw-percent": int64(0)}
		switch n {
		case 0, 3:
			share["bw-percent"] = int64(50)
		case 6:
			share = tree{"mode": "strict"}
		}
		p.put(share, "egress-scheduler", "default-global", "traffic-class", sp)
	}
	p.put(marks(), "congestion-control", "default-global", "traffic-class", "3")
	if roce.text("mode") != "lossy" {
		p.put(tree{"switch-priority": tree{"3": tree{}}, "tx": "enable", "rx": "enable", "cable-length": int64(100)}, "pfc", "default-global")
		p.put(int64(50), "traffic-pool", "default-lossy", "memory-percent")
		p.put(tree{"memory-percent": int64(50), "switch-priority": tree{"3": tree{}}}, "traffic-pool", "roce-lossless")
	}
	return p
}

// effective returns the effective configuration: the settings override the preset, which overrides the defaults.
func effective(t tree, r release) tree {
	out := defaults(r)
	if p := preset(t.expand(), r); p != nil {
		delete(out.sub("qos", "egress-scheduler"), "default-global")
		out.sub("qos").merge(p)
	}
	out.merge(t.expand())
	return out
}

// features are the profiles that ports can have.
var features = []string{"mapping", "remark", "pfc", "link-pause", "congestion-control", "egress-scheduler", "egress-shaper"}

// pausing returns the profile by which a port pauses: its own, or default-global. Nil: the port does not pause.
func pausing(eff tree, port, feature string) tree {
	name := eff.text("interface", port, "qos", feature, "profile")
	if name == "" {
		name = "default-global"
	}
	p := eff.sub("qos", feature, name)
	if feature == "pfc" && len(p.sub("switch-priority")) == 0 {
		return nil
	}
	return p
}

// judge returns what prevents a configuration from being applied, after the check of paths. exists reports which ports exist while the
// previous configuration is in use.
func judge(t tree, r release, exists func(port string) bool) (out []issue) {
	eff := effective(t, r)
	qos := eff.sub("qos")
	bad := func(at, reason string, args ...any) { out = append(out, issue{at, fmt.Sprintf(reason, args...)}) }
	for _, p := range sorted(qos.sub("egress-queue-mapping")) {
		if p != "default-global" {
			bad("qos.egress-queue-mapping."+p, "only default-global is supported")
		}
	}
	for _, p := range sorted(qos.sub("egress-scheduler")) {
		sum, classes := 0, qos.sub("egress-scheduler", p, "traffic-class")
		for _, tc := range sorted(classes) {
			percent := classes.number(-1, tc, "bw-percent")
			if classes.text(tc, "mode") == "dwrr" && percent < 0 {
				bad("qos.egress-scheduler."+p+".traffic-class."+tc, "dwrr requires bw-percent")
			}
			if classes.text(tc, "mode") != "strict" {
				sum += max(percent, 0)
			}
		}
		if sum > 100 {
			bad("qos.egress-scheduler."+p, "the sum of bw-percent is %d, above 100", sum)
		}
	}
	sum, lossless := 0, 0
	for _, p := range sorted(qos.sub("traffic-pool")) {
		if !slices.Contains([]string{"default-lossy", "default-lossless", "mc-lossy", "roce-lossy", "roce-lossless"}, p) {
			bad("qos.traffic-pool."+p, "there is no such pool")
		}
		sum += qos.number(0, "traffic-pool", p, "memory-percent")
		if strings.HasSuffix(p, "-lossless") {
			lossless++
		}
	}
	if sum > 100 {
		bad("qos.traffic-pool", "the sum of memory-percent is %d, above 100", sum)
	}
	if lossless > 1 {
		bad("qos.traffic-pool", "only one lossless pool is supported")
	}
	if pausing(eff, "", "pfc") != nil && len(pausing(eff, "", "link-pause")) > 0 {
		bad("qos", "PFC and link pause exclude each other in default-global")
	}
	members := bonds(eff)
	for _, port := range sorted(eff.sub("interface")) {
		at := "interface." + port + ".qos"
		own := eff.sub("interface", port, "qos")
		if own == nil {
			continue
		}
		if bond := members[port]; bond != "" && (len(own) > 1 || own.sub("pfc-watchdog") == nil) {
			bad(at, "QoS is not supported on a member of %s", bond)
		}
		if strings.HasPrefix(port, "swp") && !exists(port) {
			bad(at, "the port is not there")
		}
		for _, f := range features {
			if name := own.text(f, "profile"); name != "" && name != "default-global" && qos.sub(f, name) == nil {
				bad(at+"."+f+".profile", "profile '%s' does not exist", name)
			}
		}
		pfc, pause := pausing(eff, port, "pfc"), pausing(eff, port, "link-pause")
		if pfc != nil && pause != nil {
			bad(at, "PFC and link pause exclude each other")
		}
		if strings.HasPrefix(own.text("pfc-watchdog", "state"), "enable") {
			if bond := members[port]; bond != "" {
				pfc, pause = pausing(eff, bond, "pfc"), pausing(eff, bond, "link-pause")
			}
			if !strings.HasPrefix(port, "swp") {
				bad(at+".pfc-watchdog", "only physical ports are supported")
			} else if pfc == nil && pause == nil {
				bad(at+".pfc-watchdog", "PFC or link pause is required")
			}
		}
	}
	return out
}

// bonds returns the bond of each member.
func bonds(eff tree) map[string]string {
	of := map[string]string{}
	for bond, v := range eff.sub("interface") {
		o, _ := v.(tree)
		for m := range maps.Keys(o.sub("bond", "member")) {
			of[m] = bond
		}
	}
	return of
}
