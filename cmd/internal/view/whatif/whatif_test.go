package whatif_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/cmd/internal/view"
	"github.com/rocec/rocec/cmd/internal/view/whatif"
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/judge"
	"github.com/rocec/rocec/validate"
	"github.com/rocec/rocec/validate/sim"
)

const examples = "../../../../examples"

func judged(t *testing.T, name string) *judge.Judged {
	t.Helper()
	root, err := os.OpenRoot(filepath.Join(examples, ".."))
	require.NoError(t, err)
	t.Cleanup(func() { root.Close() })
	return judge.Judge(t.Context(), root.FS(), "examples/"+name, judge.Options{Budget: ir.NewBudget(validate.DefaultBudget)})
}

func text(s *whatif.Study) string {
	var b bytes.Buffer
	s.Text(view.NewScreen(&b, 400, false))
	return b.String()
}

// Every example has an answer: each circle locks and drains with the first way out, and an incast of the first members ends with empty
// buffers.
func TestExamplesHaveAnswers(t *testing.T) {
	entries, err := os.ReadDir(examples)
	require.NoError(t, err)
	loops, incasts := 0, 0
	for _, e := range entries {
		if !e.IsDir() {
			continue
		}
		f := judged(t, e.Name())
		require.NotNil(t, f.Fabric, e.Name())
		all := whatif.Loops(f.Proofs)
		for _, l := range all {
			s, err := whatif.OfLoop(f.Proofs, l.Number, validate.DefaultBudget)
			require.NoError(t, err, e.Name())
			assert.NotEmpty(t, s.Found.Observed.Locked, "%s, circle %d", e.Name(), l.Number)
			assert.Empty(t, s.Way.Untried, e.Name())
			assert.True(t, s.Way.Drained, e.Name())
			assert.Contains(t, text(s), "these flows lock in this simulation, after ")
			loops++
		}
		if len(all) == 0 {
			_, err := whatif.OfLoop(f.Proofs, 1, validate.DefaultBudget)
			assert.Error(t, err, e.Name())
		}
		for _, in := range f.Fabric.Intents {
			var names []string
			for _, m := range in.Members[:min(len(in.Members), 4)] {
				names = append(names, m.NIC.Device.Name+":"+m.NIC.Name)
			}
			s, err := whatif.OfIncast(f.Fabric, whatif.Wish{Names: strings.Join(names, ","), Intent: in.Name, Percent: 100})
			if err != nil {
				assert.Regexp(t, "not both cabled members|both ends are|no path leads|is unknown", err.Error(), e.Name())
				continue
			}
			incasts++
			assert.Equal(t, in, s.Incast.Intent)
			assert.True(t, s.Found.Observed.Drained, e.Name())
			assert.Contains(t, text(s), "first pause")
		}
	}
	assert.Equal(t, 4, loops)
	assert.Greater(t, incasts, 18)
}

// A search without a result says so, and a search that the bound on its work ended says that the rest is not known.
func TestSearchInVain(t *testing.T) {
	f := judged(t, "ring-pfc-loop")
	s, err := whatif.OfLoop(f.Proofs, 1, validate.DefaultBudget)
	require.NoError(t, err)
	flows := s.Loop.Flows[:2] // they make no circle
	s.Found = sim.Search{Flows: flows, Runs: 4, Sends: 100 * time.Microsecond}.Run()
	out := text(s)
	assert.Contains(t, out, "these flows do not lock in 4 runs of this simulation; at line rate, for 100.0 us:")
	assert.Contains(t, out, "every run drains; further rates are not tried, and may lock")

	s.Found = sim.Search{Flows: flows, Runs: 4, Work: 100}.Run()
	assert.Contains(t, text(s), "the bound on the work ended the search before run 100; whether other rates lock is not known")
	data, err := json.Marshal(s.JSON())
	require.NoError(t, err)
	assert.Contains(t, string(data), `"search_ended":true`)
	assert.Equal(t, 1, strings.Count(string(data), `"drains"`), "of the way; the rest is not known")

	s.Found = sim.Found{Scenario: s.Found.Scenario, Runs: 3, Plain: sim.Observed{Drained: true}, Observed: sim.Observed{
		Locked: []sim.Buffer{{In: s.Loop.Circle[0].In}}, LockedAt: time.Millisecond, Left: 1000,
	}}
	assert.Contains(t, text(s), "with every sender and receiver at line rate the flows do not lock, and drain")
	data, err = json.Marshal(s.JSON())
	require.NoError(t, err)
	assert.Contains(t, string(data), `"line_rate"`)
}

// Every reason for lost frames has its words.
func TestDropsHaveAReason(t *testing.T) {
	f := judged(t, "rack-v1-pfc")
	s, err := whatif.OfIncast(f.Fabric, whatif.Wish{Names: "store1,store2", To: "store3", Percent: 100})
	require.NoError(t, err)
	in := s.Found.Loads[0].Flow.Ports[1]
	for reason, d := range map[string]sim.Drop{
		"the headroom is too short":              {Lossless: true, Obeyed: true},
		"the cos group is lossy there":           {Obeyed: true},
		"store1:ens1f0 does not obey its pauses": {Lossless: true},
	} {
		d.In, d.Frames, d.At = in, 7, time.Microsecond
		s.Found.Observed.Drops = []sim.Drop{d}
		assert.Contains(t, text(s), "7 frames at "+in.String()+", the first after 1.0 us: "+reason)
	}
	s.Found.Observed = sim.Observed{Ended: true, Events: 5000, Assumed: []sim.Buffer{{In: in}}}
	out := text(s)
	assert.Contains(t, out, "the bound of 5,000 events ended the simulation; what follows is not known")
	assert.Contains(t, out, "the sizes of "+in.String()+": the simulation pauses at 18,000 B there")
	assert.NotContains(t, out, "empty")
}
