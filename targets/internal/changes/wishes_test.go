package changes

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/compiler/compilertest"
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/lab/labtest"
	"github.com/rocec/rocec/targets/judge/judgetest"
	"github.com/rocec/rocec/targets/target"
)

// The values that a person states for a cos group and a cable, by attribute.
var stated = []string{"min", "max", "probability", "buffer", "xoff", "xon_delta", "weight", "cable"}

// wish maps attributes to stated values.
type wish map[string]int

// of returns a fabric with the stated values. The length of a cable determines the size of a buffer only if no size is stated, so only a
// fabric without sizes states it.
func (w wish) of(hcl string) string {
	group := fmt.Sprintf("  ecn {\n    min = \"%dB\"\n    max = \"%dB\"\n    probability = %d\n  }\n  weight = %d\n", w["min"], w["max"],
		w["probability"], w["weight"])
	if w["buffer"] > 0 {
		group += fmt.Sprintf("  pfc {\n    buffer = \"%dB\"\n    xoff = \"%dB\"\n    xon_delta = \"%dB\"\n  }\n", w["buffer"], w["xoff"],
			w["xon_delta"])
	}
	text := strings.Replace(hcl, "  ecn {}\n", group, 1)
	return strings.Replace(text, `cable_length = "3m"`, fmt.Sprintf(`cable_length = "%dm"`, w["cable"]), 1)
}

// unwritten maps a system and a value to the code of the finding that the value is not written, or not as stated.
var unwritten = map[string]string{
	"sonic buffer": "sonic-sizes", "sonic xoff": "sonic-sizes", "sonic xon_delta": "sonic-sizes", "sonic cable": "sonic-cable",
}

// TestWishes: the test makes 1,000 random changes of one value in the fabric by 1 to 5 %. The plan of a switch with the old value contains
// each change, unless a finding says that the value is not written, or the target declares that it rounds to the next possible value.
func TestWishes(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	met := map[string]int{}
	for _, s := range spellings {
		factory := map[string][]byte{}
		for _, c := range labtest.New(t, switchOf(t, s.hcl)).Plan(t).Changes {
			factory[c.Path] = c.Before
		}
		for n := range 250 {
			attribute := stated[n%len(stated)]
			before := wish{
				"min": 100_000 + r.IntN(400_000), "max": 900_000 + r.IntN(900_000), "probability": 20 + r.IntN(60),
				"weight": 25 + r.IntN(50), "cable": 100 + r.IntN(150),
			}
			if attribute != "cable" {
				before["buffer"], before["xoff"], before["xon_delta"] = 200_000+r.IntN(90_000), 20_000+r.IntN(20_000), 2_000+r.IntN(9_000)
			}
			after := maps.Clone(before)
			sign := 1 - 2*r.IntN(2)
			after[attribute] += sign * max(1, before[attribute]*(1+r.IntN(5))/100)
			old, _ := targets.Render(compilertest.Compile(t, before.of(s.hcl)))
			next, notes := targets.Render(compilertest.Compile(t, after.of(s.hcl)))
			h := &deploy.Have{Device: judgetest.First(t, next, target.Switch).Devices[0], Count: 1}
			for _, f := range judgetest.First(t, old, target.Switch).Devices[0].Files {
				data, ds := f.Edit(factory[f.Path])
				require.False(t, ds.HasErrors(), "%v", ds)
				h.Files = append(h.Files, deploy.Content{Data: data})
			}
			plan := deploy.Diff(&target.Tree{Devices: []*target.Device{h.Device}}, &deploy.Observed{Devices: []*deploy.Have{h}}).Devices[0]
			key := s.name + " " + attribute
			if met[key]++; plan.Status == deploy.StatusChange {
				continue
			}
			if attribute == "cable" && rounds(h.Device.Target, ir.FieldCable) {
				long := plan.New.Port(h.Device.Source.Ports[0].Name).Detail.Get().Cable
				assert.True(t, long.Known() && long.Value >= after["cable"], "the next length is not below the stated one: %+v", long)
				continue
			}
			code := unwritten[key]
			assert.True(t, code != "" && slices.ContainsFunc(notes, func(d *diag.Diagnostic) bool { return d.Code == code }),
				"%s from %d to %d: %s %v", key, before[attribute], after[attribute], plan.Status, notes)
		}
	}
	assert.Len(t, met, len(spellings)*len(stated))
}

// rounds reports whether a target declares that it rounds to the next possible value.
func rounds(of *target.Target, f ir.Field) bool {
	return slices.ContainsFunc(of.Rounds, func(r target.Rounding) bool { return r.Field == f && r.How == target.Up })
}
