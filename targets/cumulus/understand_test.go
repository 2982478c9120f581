package cumulus

import (
	"os"
	"path"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/cumulus/grammar"
	"github.com/rocec/rocec/targets/cumulus/steps"
	"github.com/rocec/rocec/targets/target"
)

// onSwitch returns the files of a switch after rocec's edit of the factory's files, or of none.
func onSwitch(t *testing.T, s *sample, version string, factory bool) map[string][]byte {
	t.Helper()
	r, doc, ok := documented(version)
	require.True(t, ok)
	files, ds := Target.Render(s.sw)
	require.False(t, ds.HasErrors(), "%v", text(ds))
	contents := map[string][]byte{}
	for _, f := range files {
		var old []byte
		switch {
		case f.Path == infraPath:
			spelling, _ := grammar.Infra(r)
			old = []byte(factoryFile(spelling.Dialect()))
		case factory:
			old = []byte(factoryFile(doc.Dialect()))
		}
		content, ds := f.Edit(old)
		require.Empty(t, text(ds))
		contents[f.Path] = content
	}
	return contents
}

// TestUnderstandsWhatIsWritten: the files that rocec writes, for every release, read back with the meaning of the fabric, and each of
// their rows has a meaning.
func TestUnderstandsWhatIsWritten(t *testing.T) {
	for _, version := range releases() {
		for roce := 1; roce <= 2; roce++ {
			for _, factory := range []bool{false, true} {
				for _, known := range []bool{false, true} {
					s := canonicalSample(t, "sn2700", version, roce)
					id := target.Identity{Model: "sn2700"}
					if known {
						id.Release = version
					}
					u := Understand(id, onSwitch(t, s, version, factory))
					require.True(t, u.Coverage.Whole(), "%s: %v", version, u.Coverage.Not)
					assert.True(t, u.Coverage.RoCE())
					want := s.sw.Wanted()
					for _, p := range s.sw.Ports {
						w := *want.Port(p.Name)
						if _, doc, _ := documented(version); doc.Key(doc.Marking(), grammar.MinThreshold) == nil && !isSplit(version) {
							w.Detail = withoutThresholds(w.Detail)
						}
						agree(t, &w, u.Settings.Port(p.Name), version+" "+p.Name)
					}
					assert.Zero(t, u.Settings.Rest.Lossless())
					pool := u.Settings.Pools["ingress_service_pool.1"]
					assert.Equal(t, isSplit(version), pool.Percent == ir.Of(50), version)
				}
			}
		}
	}
}

// withoutThresholds removes the thresholds, for which releases up to 3.2 have no key.
func withoutThresholds(of ir.Detail) ir.Detail {
	d := of.Get()
	for i := range d.Queues {
		d.Queues[i].MarkMin, d.Queues[i].MarkMax, d.Queues[i].Probability = ir.Setting[int]{}, ir.Setting[int]{}, ir.Setting[int]{}
	}
	return ir.NewDetail(d)
}

// agree compares the settings that were read with those that the fabric states.
func agree(t *testing.T, want, have *ir.PortSettings, name string) {
	t.Helper()
	require.Equal(t, [2]bool{true, true}, [2]bool{have.TrustKnown, have.PausesKnown}, name)
	assert.True(t, (!want.Trust.DSCP || have.Trust.DSCP) && (!want.Trust.PCP || have.Trust.PCP), name)
	for v, cos := range want.DSCP {
		if cos >= 0 && want.Trust.DSCP {
			assert.Equal(t, cos, have.DSCP[v], "%s: DSCP %d", name, v)
		}
	}
	for v, cos := range want.PCP {
		if cos >= 0 && want.Trust.PCP {
			assert.Equal(t, cos, have.PCP[v], "%s: PCP %d", name, v)
		}
	}
	assert.Equal(t, [4]int{int(want.Sends), int(want.Obeys), int(want.Marks), want.Headroom},
		[4]int{int(have.Sends), int(have.Obeys), int(have.Marks & want.Lossless()), have.Headroom}, name)
	w, h := want.Detail.Get(), have.Detail.Get()
	for i := range 8 {
		if w.Group[i] >= 0 {
			assert.Equal(t, w.Group[i], h.Group[i], name)
		}
		for field, pair := range map[string][2]ir.Setting[int]{
			"buffer": {w.Groups[i].Buffer, h.Groups[i].Buffer}, "xoff": {w.Groups[i].Xoff, h.Groups[i].Xoff},
			"xon": {w.Groups[i].Xon, h.Groups[i].Xon}, "headroom": {w.Groups[i].Headroom, h.Groups[i].Headroom},
			"min": {w.Queues[i].MarkMin, h.Queues[i].MarkMin}, "max": {w.Queues[i].MarkMax, h.Queues[i].MarkMax},
			"probability": {w.Queues[i].Probability, h.Queues[i].Probability},
		} {
			if pair[0].Known() {
				assert.Equal(t, pair[0], pair[1], "%s: %s of %d", name, field, i)
			}
		}
		if w.Queues[i].ECN.Value {
			assert.Equal(t, ir.Of(true), h.Queues[i].ECN, name)
			assert.Equal(t, ir.Passed, h.Queues[i].Unmarkable.Value, name)
		}
	}
	assert.Equal(t, w.Queue, h.Queue, name)
	assert.Zero(t, h.Shaper.Value)
}

// TestUnderstandsTheFactory: each row of the files of a release has a meaning, or a reason for having none. The same holds for files of
// other writers.
func TestUnderstandsTheFactory(t *testing.T) {
	for name, release := range map[string]string{
		"t1": "3.4.3", "t2": "3.4.3", "t3": "3.7.16", "t4": "4.3.0", "q1": "4.4.0", "q2": "5.3.0", "i1": "4.4.0", "i2": "5.3.0",
		"datapath-mlx": "4.3.0", "datapath-bcm": "3.7.16",
	} {
		file := map[byte]string{'t': confName, 'q': featuresName, 'i': infraName, 'd': steps.MemoryFile}[name[0]]
		for _, id := range []target.Identity{{Release: release}, {}} {
			u := Understand(id, map[string][]byte{file: []byte(factoryFile(name))})
			assert.True(t, u.Coverage.Whole(), "%s: %v", name, u.Coverage.Not)
			assert.NotZero(t, u.Coverage.Rows)
			assert.Equal(t, name[0] == 'q', u.Coverage.RoCE(), "%s: the files of 4.4 and later mark queue 0", name)
		}
	}
	entries, err := os.ReadDir("testdata/foreign")
	require.NoError(t, err)
	for _, e := range entries {
		content, err := os.ReadFile(path.Join("testdata/foreign", e.Name()))
		require.NoError(t, err)
		u := Understand(target.Identity{}, map[string][]byte{"etc/" + confName: content})
		assert.True(t, u.Coverage.Whole(), "%s: %v", e.Name(), u.Coverage.Not)
	}
}
