package sequence_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/judge/judgetest"
)

// everybody is an intent with all hosts of a ring, so that a host that leaves a class is still read.
const everybody = `
cos_group "base" {
  cos  = 1
  dscp = [8]
  ecn {}
}
roce "base" {
  version   = 2
  cos_group = cos_group.base
  members   = ["node[1-4]"]
}
`

// A change is refused if old and new classes form a PFC loop during the change. The same change in two steps is not refused.
func TestLoopInBetween(t *testing.T) {
	neighbours := judgetest.Class("near", "5", "40", "", "node[1-2]", "node[3-4]")
	old := judgetest.Class("old", "5", "40", `allow_deadlock = "to be taken apart"`, "node[1-4]")
	far, other := judgetest.Class("far", "4", "32", "", "node[1,3]"), judgetest.Class("far", "4", "32", "", "node[2,4]")
	for name, c := range map[string]struct {
		before, after, between string
		refused                string
	}{
		"members leave and join": {
			judgetest.Ring(everybody, far), judgetest.Ring(everybody, other),
			judgetest.Ring(everybody, judgetest.Class("far", "4", "32", "", "node[1-2]")),
			"wait for each other in a circle: sw1:swp15, sw4:swp15, sw3:swp15, sw2:swp15. Make it two changes",
		},
		"a class ends beside one that begins": {
			judgetest.Ring(neighbours, far), judgetest.Ring(neighbours, judgetest.Class("new", "3", "24", "", "node[2,4]")),
			judgetest.Ring(neighbours),
			"Cos 4, lossless only before, fills the same buffers. Make it two changes",
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := holding(t, c.before)
			_, ds := w.order(t, c.after, half)
			require.Len(t, ds, 1)
			require.Equal(t, deploy.TopicMixture.Code, ds[0].Code)
			require.Contains(t, ds[0].Detail, c.refused)
			_, ds = w.order(t, c.between, half)
			require.Empty(t, ds)
			_, ds = holding(t, c.between).order(t, c.after, half)
			require.Empty(t, ds)
		})
	}
	t.Run("the loop is there before", func(t *testing.T) {
		broken := judgetest.Ring(everybody, judgetest.Class("old", "5", "40", "", "node[1,3]"))
		_, ds := holding(t, judgetest.Ring(everybody, old)).order(t, broken, half)
		require.Empty(t, ds)
	})
}

// An unread host may send in a class until the host is changed, so the class does not end or change before.
func TestUnknownHosts(t *testing.T) {
	far, other := judgetest.Class("far", "4", "32", "", "node[1,3]"), judgetest.Class("far", "4", "32", "", "node[2,4]")
	_, ds := holding(t, judgetest.Ring(far)).order(t, judgetest.Ring(other), half)
	require.NotEmpty(t, ds)
	require.Equal(t, deploy.TopicMixture.Code, ds[0].Code)
	require.Equal(t, "node1:eth2 (old) to sw1:swp1 (new): node1 was not read, and the lossless priorities towards it change.", ds[0].Detail)
}

// A removed loop does not hide a new loop elsewhere.
func TestLoopBehindAnOldOne(t *testing.T) {
	second := strings.NewReplacer("sw[", "ws[", `"sw"`, `"ws"`, "node", "edon", `"hosts"`, `"more"`, `"ring"`, `"other"`).
		Replace(judgetest.Ring())
	second = second[strings.Index(second, "switch"):]
	more := strings.NewReplacer("node", "edon", `roce "base"`, `roce "more"`).Replace(everybody[strings.Index(everybody, "roce"):])
	rings := func(allowed, first, other string) string {
		return judgetest.Ring(second, everybody, more, judgetest.Class("far", "4", "32", allowed, first, other))
	}
	w := holding(t, rings(`allow_deadlock = "to be taken apart"`, "node[1-4]", "edon[1,3]"))
	_, ds := w.order(t, rings("", "node[1,3]", "edon[2,4]"), half)
	require.Len(t, ds, 1)
	require.Contains(t, ds[0].Detail, "wait for each other in a circle")
	_, ds = w.order(t, rings("", "node[1,3]", "edon[1,3]"), half)
	require.Empty(t, ds)
	_, ds = holding(t, rings("", "node[1,3]", "edon[1,3]")).order(t, rings("", "node[1,3]", "edon[1-2]"), half)
	require.Empty(t, ds)
}
