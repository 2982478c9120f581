package sequence_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/compiler/change"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/sequence"
	"github.com/rocec/rocec/targets/judge/judgetest"
)

// stored adds a parameter that cards store to every nic block of a fabric.
func stored(hcl, value string) string {
	return strings.ReplaceAll(hcl, `{ model = "connectx-6dx" }`, "{\n    model = \"connectx-6dx\"\n    nvram = { CNP_DSCP = "+value+" }\n  }")
}

// stores adds to a world what the cards of its hosts store.
func (w world) stores(hosts ...string) world {
	for _, name := range hosts {
		w[name]["stored/ens1f0"] = []byte("nvram_CNP_DSCP=46\nreset=possible\ncard=ens1f0\n")
	}
	return w
}

// A card is reset beside no other change: the first step resets cards, one host after the other, and the second step is everything else.
// A plan with nothing else has one step.
func TestResetsRunAlone(t *testing.T) {
	hcl := judgetest.Rack(`version = "5.15.0"`)
	_, tree := fabric(t, hcl)
	var hosts []string
	for _, d := range tree.Devices {
		if d.Source.Host != nil {
			hosts = append(hosts, d.Name)
		}
	}
	require.Greater(t, len(hosts), 1)
	for name, c := range map[string]struct {
		before, hcl string
		steps       []change.Step
	}{
		"cards that have lost their values": {stored(hcl, "48"), stored(hcl, "48"), []change.Step{""}},
		"cards and value files":             {hcl, stored(hcl, "48"), []change.Step{change.Resets, ""}},
		"cards and a class that moves": {
			hcl, moved(stored(hcl, "48")), []change.Step{change.Resets, change.Expand, change.Migrate, ""},
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := holding(t, c.before).stores(hosts...)
			f, tree := fabric(t, c.hcl)
			var steps []change.Step
			for range sequence.MostSteps {
				have := w.observe(tree)
				plan := deploy.Diff(tree, have)
				if plan.Empty() {
					break
				}
				whole, _ := sequence.New(f, tree, plan, half)
				if len(c.steps) > 1 && len(steps) == 0 {
					assert.Contains(t, strings.Join(details(whole.Refusals()), "\n"), "would reset a card beside another change")
				}
				plan, s, ds := whole.Next(have)
				require.Empty(t, details(ds))
				step := change.Step("")
				if len(s.Steps) > 0 {
					step = s.Steps[0].Step
				}
				if len(steps) == 0 {
					require.Len(t, s.Waves, len(hosts), "one host after the other")
					for _, wave := range s.Waves {
						require.Len(t, wave.Tasks, 1)
						require.Equal(t, wave.Dark[0], wave.Tasks[0].Device)
					}
					for _, p := range plan.Devices {
						if p.Status == deploy.StatusSame {
							continue
						}
						require.Len(t, p.Changes, 1)
						require.Equal(t, "stored/ens1f0", p.Changes[0].Path)
						require.Contains(t, p.Disrupts[0], "the card of ens1f0 is reset: its ports and all of their functions are down; "+p.Device.Name+
							" reaches none of ")
					}
				}
				steps = append(steps, step)
				w.apply(plan)
			}
			require.Equal(t, c.steps, steps)
			require.True(t, deploy.Diff(tree, w.observe(tree)).Empty())
		})
	}
}

// A plan that is refused for another reason resets no card, and a card that cannot be reset refuses its host.
func TestResetsOfRefusedPlans(t *testing.T) {
	hcl := judgetest.Rack(`version = "5.15.0"`)
	w := holding(t, hcl)
	_, tree := fabric(t, hcl)
	for _, d := range tree.Devices {
		if d.Source.Host != nil {
			w.stores(d.Name)
			w[d.Name]["stored/ens1f0"] = []byte("nvram_CNP_DSCP=46\nreset=unsupported: no tool resets the card\ncard=ens1f0\n")
		}
	}
	_, tree = fabric(t, stored(hcl, "48"))
	for _, p := range deploy.Diff(tree, w.observe(tree)).Devices {
		if p.Device.Source.Host == nil {
			continue
		}
		require.Equal(t, deploy.StatusRefused, p.Status, p.Device.Name)
		require.Contains(t, p.Err.Detail, "not possible here: no tool resets the card")
	}
}
