package claimed

import (
	"encoding/json"
	"net/netip"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/ir/irtest"
	"github.com/rocec/rocec/compiler/routes"
	"github.com/rocec/rocec/validate"
	"github.com/rocec/rocec/validate/claims"
	"github.com/rocec/rocec/validate/proof"
)

// The JSON of an assumption has its state, who read which devices, and the oldest answer. Texts have the same.
func TestStates(t *testing.T) {
	f := irtest.New(ir.ShortestPath).Links("L0-S0 L0-S1 L1-S0 L1-S1").Tier("S", 2).Hosts("L0", "L1").Fabric()
	f.Routes = routes.New(f)
	var proofs []validate.GroupProof
	for _, p := range proof.All(f, ir.NewBudget(1e9)) {
		proofs = append(proofs, validate.GroupProof{Group: p.Groups[0], Proof: p})
	}
	seen := &claims.Seen{By: "rocec verify"}
	for i, d := range f.Devices[:3] {
		r := &ir.Forwarding{Device: d, When: time.Date(2026, 11, 27, 10, 2+i, 0, 0, time.UTC), Tunnels: []ir.ForwardingTunnel{}}
		r.Tables = []ir.ForwardingTable{}
		seen.Devices = append(seen.Devices, r)
	}
	seen.Devices[2].Tunnels = []ir.ForwardingTunnel{{Name: "t0", Kind: "gre", Remote: netip.MustParseAddr("192.0.2.1")}}
	is := Compare(f, proofs, seen, ir.NewBudget(1e9))
	doc := JSON(f, proofs, is)
	require.Len(t, doc.Loops, 1)
	assert.Equal(t, "free", doc.Loops[0].Verdict)
	all := doc.Loops[0].Facts.Assumptions
	at := slices.IndexFunc(all, func(a Assumption) bool { return a.Code == string(proof.NoTunnels) })
	got, err := json.Marshal(all[at])
	require.NoError(t, err)
	assert.JSONEq(t, `{"code":"no-tunnels","devices":["L0","L1"],"state":"unchecked","by":"rocec verify","when":"2026-11-27T10:02:00Z",
		"devices_in_all":4,"devices_not_read":["S1"],"devices_against":["S0"]}`, string(got))
	require.Len(t, doc.Claims, 1)
	assert.Equal(t, "claim-tunnel", doc.Claims[0].Code)
	assert.True(t, doc.Wrong())
	running, err := json.Marshal(doc.Loops[0].Running)
	require.NoError(t, err)
	assert.JSONEq(t, `{"verdict":"unknown","why":"the routes of 1 of 4 switches are not known (S1)"}`, string(running))

	assert.Contains(t, Texts(proofs[0], is), "no switch tunnels lossless packets (contradicted by S0)")
	assert.Equal(t, "0 of 9 assumptions of the verdicts on PFC loops are checked on devices; --format json has each. "+
		"See rocec explain assumptions.", Count(proofs, is))
	assert.Equal(t, "the routes of the switches are not judged: the routes of 1 of 4 switches are not known (S1)", RunningText(proofs[0], is))
}

// Without devices the states are those of the fabric alone, and the texts have no state.
func TestUnread(t *testing.T) {
	f := irtest.New(ir.UpDown).Links("L0-S0 L1-S0").Tier("S", 2).Hosts("L0", "L1").Fabric()
	f.Routes = routes.New(f)
	proofs := []validate.GroupProof{{Group: f.CosGroups[0], Proof: proof.All(f, ir.NewBudget(1e9))[0]}}
	doc := JSON(f, proofs, nil)
	assert.Empty(t, doc.Claims)
	assert.False(t, doc.Wrong())
	assert.Nil(t, doc.Loops[0].Running)
	for _, a := range doc.Loops[0].Facts.Assumptions {
		assert.NotEqual(t, claims.Checked, a.State)
	}
	assert.Equal(t, proofs[0].AssumptionTexts(), Texts(proofs[0], nil))
	assert.Empty(t, Count(proofs, nil))
	assert.Equal(t, "0 of 7 assumptions of the verdicts on PFC loops are checked on devices; --format json has each. "+
		"See rocec explain assumptions.",
		Count(proofs, Compare(f, proofs, &claims.Seen{By: Verify}, nil)), "no device answered")
	assert.Empty(t, KeptText(proofs, nil))
	assert.Empty(t, KeptText(proofs, Recall(f, proofs, nil)), "verify kept nothing")
	assert.Empty(t, RunningText(proofs[0], nil))
}

// What verify kept of its answers is the JSON of plan, and its sentence.
func TestKeptStates(t *testing.T) {
	f := irtest.New(ir.UpDown).Links("L0-S0 L1-S0").Tier("S", 2).Hosts("L0", "L1").Fabric()
	f.Routes = routes.New(f)
	proofs := []validate.GroupProof{{Group: f.CosGroups[0], Proof: proof.All(f, ir.NewBudget(1e9))[0]}}
	seen := &claims.Seen{By: Verify}
	for _, d := range f.Devices {
		seen.Devices = append(seen.Devices, &ir.Forwarding{Device: d, When: read, Tunnels: []ir.ForwardingTunnel{}})
	}
	keep := func() *claims.Result {
		return Recall(f, proofs, Keep(f, proofs, Compare(f, proofs, seen, ir.NewBudget(1e9)), read, nil))
	}
	is := keep()
	assert.Equal(t, "Assumptions: rocec verify checked 1 of 7, 27 Nov 10:02 UTC.", KeptText(proofs, is))
	all := JSON(f, proofs, is).Loops[0].Facts.Assumptions
	at := slices.IndexFunc(all, func(a Assumption) bool { return a.Code == string(proof.NoTunnels) })
	got, err := json.Marshal(all[at])
	require.NoError(t, err)
	assert.JSONEq(t, `{"code":"no-tunnels","devices":["L0","L1","S0"],"state":"checked","by":"rocec verify","when":"2026-11-27T10:02:00Z",
		"devices_in_all":3}`, string(got))
	for _, r := range seen.Devices {
		if r.Device.Name == "S0" {
			r.Tunnels = []ir.ForwardingTunnel{{Name: "t0", Kind: "gre", Remote: netip.MustParseAddr("192.0.2.1")}}
		}
	}
	assert.Equal(t, "Assumptions: rocec verify checked 0 of 7; devices contradict 1.", KeptText(proofs, keep()))
}

// read is the time of the answers.
var read = time.Date(2026, 11, 27, 10, 2, 0, 0, time.UTC)
