package session

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/rocec/rocec/lang/nodeset"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/target"
)

// TestWithin lists the waves of a run, and the waves of the plan that contain them.
func TestWithin(t *testing.T) {
	plan := []string{"a1", "a[2-4]", "b1,b2"}
	for _, c := range []struct {
		now  []string
		want []int
		says string
	}{
		{plan, []int{0, 1, 2}, ""},
		{[]string{"a[2-4]", "b[1-2]"}, []int{1, 2}, ""},
		{[]string{"a3", "a4", "b2"}, []int{1, 1, 2}, ""},
		{nil, []int{}, ""},
		{[]string{"a1", "a2", "a[3-4]", "b[1-2]"}, nil, "the waves would be others"}, // all are left, and smaller waves are others
		{[]string{"a1,a2"}, nil, "the waves would be others"},
		{[]string{"b1", "a2"}, nil, "the waves would be others"},
		{[]string{"c1"}, nil, "c1 would change, and is in no wave of the plan"},
	} {
		got, err := within(plan, c.now)
		if c.says != "" {
			assert.ErrorContains(t, err, c.says, "%v", c.now)
			continue
		}
		require.NoError(t, err, "%v", c.now)
		assert.Equal(t, c.want, got, "%v", c.now)
	}
}

// TestPlanWaves: whatever part of the devices is left and however it is cut into waves, each wave of the plan ends once and in order, after
// all of its parts. After a failure no later wave ends.
func TestPlanWaves(t *testing.T) {
	met := map[string]bool{}
	rapid.Check(t, func(t *rapid.T) {
		var plan, now []string
		var of []int
		for w := range rapid.IntRange(1, 5).Draw(t, "waves") {
			var names []string
			for d := range rapid.IntRange(1, 4).Draw(t, "devices") {
				names = append(names, fmt.Sprintf("w%dd%d", w, d))
			}
			plan = append(plan, nodeset.Text(names, nodeset.Devices, 1000))
			for left := names[rapid.IntRange(0, len(names)).Draw(t, "done"):]; len(left) > 0; {
				n := rapid.IntRange(1, len(left)).Draw(t, "part")
				now, left = append(now, nodeset.Text(left[:n], nodeset.Devices, 1000)), left[n:]
				of = append(of, w)
			}
		}
		fails := rapid.IntRange(0, len(now)).Draw(t, "fails") // no wave, if it is their number
		var ended []int
		var good []bool
		w := &planWaves{results: map[int][]*deploy.Result{}, of: of, c: &Carry{
			First: 3, Waves: len(plan), Ended: func(wave int, _ []string, well bool, _ string) {
				ended, good = append(ended, wave), append(good, well)
			},
		}}
		w.skip(-1)
		for n := range now {
			r := &deploy.Result{Device: &target.Device{Name: now[n]}, Outcome: deploy.Applied}
			if n == fails {
				r.Outcome = deploy.Restored
			}
			w.ended(n, []*deploy.Result{r})
			if n == fails {
				break
			}
		}
		for i, wave := range ended {
			if wave != 3+i {
				t.Fatalf("the waves %v ended, and the plan has %d from 3", ended, len(plan))
			}
		}
		switch bad := slices.Index(good, false); {
		case fails == len(now):
			met["good"] = true
			if len(ended) != len(plan) || bad >= 0 {
				t.Fatalf("%d waves of %d ended: %v", len(ended), len(plan), good)
			}
		default:
			met["fails"] = true
			if bad != len(ended)-1 || ended[bad] != 3+of[fails] {
				t.Fatalf("wave %d fails, and %v ended %v", 3+of[fails], ended, good)
			}
		}
	})
	require.Len(t, met, 2)
}
