package view

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/rocec/rocec/compiler/ir"
)

// firmwareHints adds hints to devices whose NICs have older firmware than most NICs of the same model in their group. This is no drift,
// as the fabric does not state firmware.
func firmwareHints(f *ir.Fabric, devices []VerifyDevice) {
	type kind struct {
		group string
		model *ir.NICModel
	}
	named := map[string]*ir.Device{}
	for _, d := range f.Devices {
		named[d.Name] = d
	}
	each := func(use func(d *VerifyDevice, k kind, fact VerifyFact)) {
		for i := range devices {
			d := &devices[i]
			source := named[d.Name]
			if source == nil || source.Host == nil {
				continue
			}
			for _, fact := range d.Facts {
				at := slices.IndexFunc(source.Host.NICs, func(n *ir.NIC) bool { return n.Name == fact.On })
				if at >= 0 && fact.Name == "firmware" && firmwareVersion(fact.Value) != nil {
					use(d, kind{source.Group, source.Host.NICs[at].Model}, fact)
				}
			}
		}
	}
	counts := map[kind]map[string]int{}
	each(func(_ *VerifyDevice, k kind, fact VerifyFact) {
		if counts[k] == nil {
			counts[k] = map[string]int{}
		}
		counts[k][fact.Value]++
	})
	usual := map[kind]string{}
	for k, of := range counts {
		for v, n := range of {
			if u := usual[k]; u == "" || cmp.Or(n-of[u], slices.Compare(firmwareVersion(v), firmwareVersion(u)), strings.Compare(v, u)) > 0 {
				usual[k] = v
			}
		}
	}
	each(func(d *VerifyDevice, k kind, fact VerifyFact) {
		if u := usual[k]; slices.Compare(firmwareVersion(fact.Value), firmwareVersion(u)) < 0 {
			d.Hints = append(d.Hints, VerifyFinding{
				Probe: "firmware",
				Message: fmt.Sprintf("%s on %s has firmware %s; others of its model in %s have %s.",
					fact.On, d.Name, fact.Value, k.group, u),
			})
		}
	})
}

// firmwareVersion parses numbers separated by dots; nil: another form.
func firmwareVersion(text string) []int {
	var out []int
	for part := range strings.SplitSeq(text, ".") {
		n, err := strconv.ParseUint(part, 10, 31)
		if err != nil {
			return nil
		}
		out = append(out, int(n))
	}
	return out
}
