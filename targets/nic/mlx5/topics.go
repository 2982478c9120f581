package mlx5

import (
	"fmt"
	"strings"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/nic"
)

// rulesTopic is the only code that no other target reports.
var rulesTopic = diag.Topic{Code: "host-traffic-class", Summary: "the driver does not accept this traffic_class"}

// Topics lists every code that this target reports.
var Topics = []diag.Topic{rulesTopic}

// Limits of the driver's traffic_class file (MLNX_OFED 24.07).
const (
	maxRules = 40
	maxRule  = 100 // characters of the line that sets or removes a rule
)

// judge reports what a NIC cannot do.
func judge(ds *diag.List, n *ir.NIC) {
	nic.JudgeIntents(ds, n)
	judgeRules(ds, n)
	judgeParameters(ds, n)
}

// judgeParameters reports parameters that contradict the fabric.
func judgeParameters(ds *diag.List, n *ir.NIC) { nic.JudgeParameters(ds, n, contradicts) }

// contradicts returns the reason why a NIC with a value would not do the work of the fabric; empty: it does. The same values, read from the
// firmware, are mistakes of the host (judgeCard).
func contradicts(s *nic.Settings, all []ir.SetParameter, p *ir.SetParameter) string {
	switch v := p.Value; p.Name {
	case "CNP_DSCP":
		if s.CNP != nil && len(s.CNP.DSCP) > 0 && v != s.CNP.DSCP[0].Value {
			return fmt.Sprintf("the cos group %s of CNPs has DSCP %d", s.CNP.Name, s.CNP.DSCP[0].Value)
		}
	case "CNP_802P_PRIO":
		if s.CNP != nil && v != s.CNP.Cos {
			return fmt.Sprintf("the cos group %s of CNPs has cos %d", s.CNP.Name, s.CNP.Cos)
		}
	case "NUM_OF_PFC":
		if need := count(s.PFC); v < need {
			return fmt.Sprintf("its cable has %d lossless %s", need, diag.Plural(need, "priority", "priorities"))
		}
	case "NUM_OF_TC":
		if need := classes(s); v != 0 && v < need { // 0 is 8
			return fmt.Sprintf("the fabric needs %d traffic %s", need, diag.Plural(need, "class", "classes"))
		}
	case "ROCE_CC_PRIO_MASK":
		for prio, on := range s.ECN {
			if on && v>>prio&1 == 0 && s.NIC.SlowsDown() {
				return fmt.Sprintf("the fabric marks priority %d by ECN, whose congestion control that value turns off", prio)
			}
		}
	case "ROCE_CONTROL":
		if v == 1 && s.NIC.RoCE {
			return "the NIC is a member of " + s.Intents[0].Name + ", which needs RoCE"
		}
	case "rpg_min_rate", "RPG_MIN_RATE":
		most := ir.Find(all, strings.Replace(strings.Replace(p.Name, "min", "max", 1), "MIN", "MAX", 1))
		if most != nil && most.Value != 0 && v > most.Value {
			return fmt.Sprintf("%s = %d is smaller", most.Name, most.Value)
		}
	}
	return ""
}

func judgeRules(ds *diag.List, n *ir.NIC) {
	if len(n.TrafficClasses) > maxRules {
		rulesTopic.Errorf(ds, n.At, "The nic %s has %d traffic_class blocks, but the driver accepts %d. Combine destinations into networks.",
			n.Name, len(n.TrafficClasses), maxRules)
	}
	for _, c := range n.TrafficClasses {
		bad := func(format string, args ...any) {
			rulesTopic.Errorf(ds, n.At, "The nic %s has the traffic_class %s, but %s.", n.Name, ruleText(c), fmt.Sprintf(format, args...))
		}
		src, dst := c.Src, c.Dst
		switch {
		case !src.IsValid() && !dst.IsValid():
			bad("it names neither src nor dst; tos in the nic block marks everything")
		case src.IsValid() && dst.IsValid() && src.Addr().Is4() != dst.Addr().Is4():
			bad("its addresses have different IP versions")
		case src.IsValid() && !src.IsSingleIP():
			bad("the driver ignores the mask of a source: %s would match only %s", src, src.Addr())
		case dst.IsValid() && dst.Addr().Is6() && !dst.IsSingleIP():
			bad("the driver accepts no IPv6 network; name single addresses")
		case len("tclass=-1,")+strings.LastIndexByte(ruleText(c), ',') > maxRule:
			bad("the driver accepts lines of up to %d characters", maxRule)
		}
	}
}
