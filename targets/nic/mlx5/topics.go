package mlx5

import (
	"fmt"
	"strings"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/nic"
)

// The mistake only this target can see.
var rulesTopic = diag.Topic{Code: "host-traffic-class", Summary: "driver does not take this traffic_class"}

// Topics is every code this target reports.
var Topics = []diag.Topic{rulesTopic}

// Limits of the driver's traffic_class file (MLNX_OFED 24.07).
const (
	maxRules = 40
	maxRule  = 100 // characters of the line that sets or removes a rule
)

// judge reports what this NIC cannot do.
func judge(ds *diag.List, n *ir.NIC) {
	nic.JudgeIntents(ds, n)
	judgeRules(ds, n)
}

func judgeRules(ds *diag.List, n *ir.NIC) {
	if len(n.TrafficClasses) > maxRules {
		rulesTopic.Errorf(ds, n.At, "The nic %s has %d traffic_class blocks, and the driver takes %d. Join destinations into networks.",
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
			bad("its addresses are of two IP versions")
		case src.IsValid() && !src.IsSingleIP():
			bad("the driver drops the mask of a source: %s would match %s only", src, src.Addr())
		case dst.IsValid() && dst.Addr().Is6() && !dst.IsSingleIP():
			bad("the driver takes no IPv6 network; name single addresses")
		case len("tclass=-1,")+strings.LastIndexByte(ruleText(c), ',') > maxRule:
			bad("the driver takes lines of %d characters", maxRule)
		}
	}
}
