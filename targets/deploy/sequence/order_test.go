package sequence_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/compiler/change"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/sequence"
	"github.com/rocec/rocec/targets/deploy/txn"
	"github.com/rocec/rocec/targets/judge/judgetest"
	"github.com/rocec/rocec/targets/target"
)

// clos has two leaves with two hosts each under two spines. Switches of Cumulus Linux 3.7 restart switchd for a change.
const clos = `
fabric "clos" {
  routing      = "up-down"
  cable_length = "10m"
}
cos_group "rdma" {
  cos      = 3
  dscp     = [26]
  lossless = true
  ecn {}
}
cos_group "cnp" {
  cos    = 6
  dscp   = [48]
  strict = true
}
roce "storage" {
  version   = 2
  cos_group = cos_group.rdma
  cnp       = cos_group.cnp
  members   = [host.store]
}
switch "leaf" {
  names   = "leaf[1-2]"
  model   = "sn2700"
  version = "3.7.16"
  tier    = 1
}
switch "spine" {
  names   = "spine[1-2]"
  model   = "sn2700"
  version = "3.7.16"
  tier    = 2
}
host "store" {
  names = "store[1-4]"
  nic "ens1f0" { model = "connectx-6dx" }
}
link "hosts" {
  a     = "store[1-4]:ens1f0"
  b     = ["leaf[1-2]:swp1", "leaf[1-2]:swp2"]
  speed = "100G"
}
mesh "fabric" {
  lower = "leaf[1-2]:swp[31-32]"
  upper = "spine[1-2]:swp[1-2]"
}
`

// names returns the names of the devices of each wave.
func names(s *sequence.Sequence) (waves [][]string) {
	for _, w := range s.Waves {
		var in []string
		for _, t := range w.Tasks {
			in = append(in, t.Device.Name)
		}
		slices.Sort(in)
		waves = append(waves, in)
	}
	return waves
}

func rules(capacity, dark int) sequence.Rules {
	return sequence.Rules{Rules: change.Rules{MinCapacity: capacity, MaxDark: dark, Parallel: 32}}
}

func details(ds diag.List) (out []string) {
	for _, d := range ds {
		out = append(out, d.Detail)
	}
	return out
}

// Waves obey the rules. Devices that cannot change within the rules are refused.
func TestRules(t *testing.T) {
	hosts := []string{"store1", "store2", "store3", "store4"}
	for name, c := range map[string]struct {
		rules   sequence.Rules
		waves   [][]string
		refused []string
	}{
		"half of the capacity": {rules(50, 0), [][]string{{"leaf1"}, {"leaf2"}, {"spine1"}, {"spine2"}, hosts}, nil},
		"more than a spine leaves": {rules(51, 0), [][]string{{"leaf1"}, {"leaf2"}, hosts}, []string{
			"While spine1 passes no traffic, leaf1 keeps 50% of its capacity towards leaf2. Allow it: --min-capacity 50.",
			"While spine2 passes no traffic, leaf1 keeps 50% of its capacity towards leaf2. Allow it: --min-capacity 50.",
		}},
		"hosts may be cut off": {rules(0, 4), [][]string{{"leaf1", "leaf2"}, {"spine1"}, {"spine2"}, hosts}, nil},
		"a host at a time": {rules(50, 1), [][]string{{"spine1"}, {"spine2"}, {"store1"}, {"store2"}, {"store3"}, {"store4"}}, []string{
			"While leaf1 passes no traffic, 2 hosts (store[1,3]) would be without a link, which is more than --max-dark allows. Raise it to 2.",
			"While leaf2 passes no traffic, 2 hosts (store[2,4]) would be without a link, which is more than --max-dark allows. Raise it to 2.",
		}},
	} {
		t.Run(name, func(t *testing.T) {
			s, ds := world{}.order(t, clos, c.rules)
			assert.Equal(t, c.waves, names(s))
			assert.Equal(t, c.refused, details(ds))
			for _, d := range ds {
				assert.Equal(t, deploy.TopicUnsafe.Code, d.Code)
			}
			require.Len(t, s.Order.Waves, len(s.Waves))
		})
	}
}

// Follow checks given waves and does not change them.
func TestFollow(t *testing.T) {
	f, tree := fabric(t, clos)
	plan := deploy.Diff(tree, world{}.observe(tree))
	s, ds := sequence.New(f, tree, plan, half)
	require.Empty(t, ds)
	back := s.Order.Reverse()
	followed, ds := sequence.Follow(f, tree, plan, back, half)
	require.Empty(t, ds)
	want := names(s)
	slices.Reverse(want)
	require.Equal(t, want, names(followed))
	next, same, ds := followed.Next(world{}.observe(tree))
	require.Same(t, plan, next)
	require.Same(t, followed, same, "its settings in between are not judged, so it has one step")
	require.Empty(t, ds)

	together := &deploy.Order{Waves: []*deploy.Wave{{Phase: 1, Devices: slices.Concat(s.Order.Waves[2].Devices, s.Order.Waves[3].Devices)}}}
	_, ds = sequence.Follow(f, tree, plan, together, half)
	require.Contains(t, details(ds)[0], "passes no traffic, store")
}

// A run marks the switches whose loss together with the switches of a wave would break the promise of the wave.
func TestMarks(t *testing.T) {
	f, tree := fabric(t, clos)
	plan := deploy.Diff(tree, world{}.observe(tree))
	for _, p := range plan.Devices { // only spine1 changes
		if p.Device.Name != "spine1" {
			plan.Beside = append(plan.Beside, p)
		}
	}
	plan.Devices = slices.DeleteFunc(plan.Devices, func(p *deploy.DevicePlan) bool { return p.Device.Name != "spine1" })
	s, _ := sequence.New(f, tree, plan, half)
	require.Equal(t, [][]string{{"spine1"}}, names(s))
	marks := func(ds []*target.Device) (names []string) {
		for _, d := range ds {
			names = append(names, d.Name)
		}
		return names
	}
	require.Equal(t, []string{"spine1", "spine2"}, marks(s.Order.Waves[0].Marks))
	require.Equal(t, []string{"leaf1", "leaf2"}, marks(s.Order.Waves[0].Near))
	beside, cannot := s.Marked()
	require.Len(t, beside, 3)
	require.Empty(t, cannot)
	require.Empty(t, s.Neighbours().Devices, "the plan has read them")

	// Another run that holds one of these switches forbids the plan.
	spine2 := plan.Beside[slices.IndexFunc(plan.Beside, func(p *deploy.DevicePlan) bool { return p.Device.Name == "spine2" })]
	for mark, bars := range map[txn.Mark]bool{
		txn.Absent: false, txn.Prepared: true, txn.Armed: true, txn.Loaded: true, txn.Undoing: true, txn.Confirmed: false, txn.Undone: false,
		txn.Unknown: false,
	} {
		spine2.Lock = &deploy.Owner{Txn: "run-1", Mark: mark}
		held := sequence.Bars(plan, s, "")
		require.Equal(t, bars, len(held) == 1, mark)
		if bars {
			require.Equal(t, []string{"spine2"}, held[0].Names())
		}
		require.Empty(t, sequence.Bars(plan, s, "run-1"), mark)
		require.Empty(t, sequence.Bars(plan, nil, ""), "beside nothing is looked at")
	}

	// A partner that does not answer cannot carry the mark.
	require.Empty(t, s.Unmarkable())
	spine2.Status, spine2.Err = deploy.StatusUnreachable, &deploy.Error{Kind: deploy.Unreachable, Device: spine2.Device}
	require.Equal(t, []*deploy.Error{spine2.Err}, s.Unmarkable())
}

// A link that a device reports as down counts as down, so the other spine carries all traffic and does not change.
func TestLinksThatAreDown(t *testing.T) {
	f, tree := fabric(t, clos)
	plan := deploy.Diff(tree, world{}.observe(tree))
	for _, p := range plan.Devices {
		if p.Device.Name == "spine1" {
			p.Baseline = []target.Sample{{Link: "swp1", Value: 0}}
		}
	}
	s, ds := sequence.New(f, tree, plan, half)
	require.Len(t, s.Down, 1)
	require.NotEmpty(t, ds)
	require.Contains(t, details(ds)[0], "While spine2 passes no traffic, store")
}

// If no order of the devices is lossless, a change has several steps: add the new class, change the hosts, remove the old class. Each
// step is planned from the present content of the devices.
func TestSteps(t *testing.T) {
	for name, hcl := range map[string]string{
		"traffic.conf": judgetest.Rack(`version = "4.3.0"`), "NVUE": judgetest.Rack(`version = "5.15.0"`), "SONiC": judgetest.SONiCRack("202505"),
	} {
		t.Run(name, func(t *testing.T) {
			w := holding(t, hcl)
			f, tree := fabric(t, moved(hcl))
			var steps []change.Step
			for range sequence.MostSteps {
				have := w.observe(tree)
				plan := deploy.Diff(tree, have)
				if plan.Empty() {
					break
				}
				s, ds := sequence.New(f, tree, plan, half)
				require.Empty(t, details(ds))
				plan, s, ds = s.Next(have)
				require.Empty(t, details(ds))
				require.False(t, s.Lossy())
				step := change.Contract // in one step, if the rest has a lossless order
				if len(s.Steps) > 0 {
					step = s.Steps[0].Step
				}
				steps = append(steps, step)
				w.apply(plan)
			}
			require.Equal(t, []change.Step{change.Expand, change.Migrate, change.Contract}, steps)
			require.True(t, deploy.Diff(tree, w.observe(tree)).Empty())
		})
	}
}
