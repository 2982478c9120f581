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
