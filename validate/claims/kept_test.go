package claims

import (
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/ir/irtest"
	"github.com/rocec/rocec/validate/configured"
	"github.com/rocec/rocec/validate/proof"
)

// A later run that reads no device has the states of the read, for each routing.
func TestRecall(t *testing.T) {
	for name, c := range map[string]*irtest.Cabling{
		"as-plan": planned(), "up-down": clos(ir.UpDown), "shortest": clos(ir.ShortestPath),
	} {
		t.Run(name, func(t *testing.T) {
			n := made(c)
			n.of("L0").Tunnels = []ir.ForwardingTunnel{{Name: "t0", Kind: "gre", Remote: netip.MustParseAddr("192.0.2.1")}}
			n.of("L1").BGP = nil
			r := n.judge()
			kept := r.Keep(n.f, n.proofs, at, nil)
			again := Recall(n.f, n.proofs, "snapshot", kept)
			assert.True(t, again.Read)
			assert.Empty(t, again.Findings)
			for _, code := range proof.AssumptionCodes {
				want, got := r.Of(code), again.Of(code)
				assert.Equal(t, []any{want.State, want.By, want.When, want.Scope, want.Agree, want.False, want.Part},
					[]any{got.State, got.By, got.When, got.Scope, got.Agree, got.False, got.Part}, code)
			}
			assert.Equal(t, []string{"L0"}, names(again.Of(proof.NoTunnels).False))
			assert.Equal(t, kept, again.Keep(n.f, n.proofs, at, kept), "a run without answers keeps what is known")
		})
	}
	n := made(planned())
	none := Recall(n.f, n.proofs, "snapshot", nil)
	assert.False(t, none.Read)
	assert.Equal(t, Unchecked, none.Of(proof.NoTunnels).State)
}

func names(all []*ir.Device) (out []string) {
	for _, d := range all {
		out = append(out, d.Name)
	}
	return out
}

// A judgement does not count after the fabric has changed a fact that it used. Others stay.
func TestRecallAfterChanges(t *testing.T) {
	for name, x := range map[string]struct {
		edit      func(f *ir.Fabric)
		local, by int // switches whose tunnels, and whose AS numbers, are still checked
	}{
		"nothing":            {func(*ir.Fabric) {}, 6, 6},
		"AS number":          {func(f *ir.Fabric) { device(f, "L0").Switch.ASN++ }, 3, 0}, // L0 and the spines at its cables
		"login":              {func(f *ir.Fabric) { device(f, "L0").SSH.Address = "192.0.2.9" }, 3, 0},
		"host key":           {func(f *ir.Fabric) { device(f, "S0").SSH.HostKey = "SHA256:other" }, 1, 0},
		"release":            {func(f *ir.Fabric) { device(f, "L0").Switch.Version = "9" }, 3, 0},
		"planned cable":      {func(f *ir.Fabric) { device(f, "L0").Ports[0].Link().Planned = true }, 4, 0},
		"address of a host":  {func(f *ir.Fabric) { hosts(f)[0].Host.NICs[0].IP = netip.MustParsePrefix("198.51.100.1/24") }, 6, 0},
		"number of failures": {func(f *ir.Fabric) { f.Failures++ }, 6, 0},
		"member":             {func(f *ir.Fabric) { f.Intents = append(f.Intents, &ir.Intent{Group: f.CosGroups[0]}) }, 6, 0},
		"name of the fabric": {func(f *ir.Fabric) { f.Name = "renamed" }, 6, 6},
	} {
		t.Run(name, func(t *testing.T) {
			n := made(planned())
			kept := n.judge().Keep(n.f, n.proofs, at, nil)
			x.edit(n.f)
			r := Recall(n.f, n.proofs, "snapshot", kept)
			assert.Len(t, r.Of(proof.NoTunnels).Agree, x.local)
			assert.Len(t, r.Of(proof.ASNumbers).Agree, x.by)
			assert.Equal(t, x.by == 6, r.Of(proof.ASNumbers).State == Checked)
			for _, k := range (&Result{}).Keep(n.f, n.proofs, at, kept) {
				assert.NotEqual(t, x.local == 0 && k.Code == proof.NoTunnels, true, "what no longer counts is dropped")
			}
			assert.Equal(t, x.by == 6, len((&Result{}).Keep(n.f, n.proofs, at, kept)) == len(kept))
		})
	}
	n := made(planned())
	kept := n.judge().Keep(n.f, n.proofs, at, nil)
	n.proofs[0].Certificate = "other"
	assert.Empty(t, Recall(n.f, n.proofs, "snapshot", kept).Of(proof.ASNumbers).Agree, "another proof compares other turns")
}

// The table of next hops that the fabric names is a fact of the judgement of the running tables.
func TestRecallAfterAnotherTable(t *testing.T) {
	n := made(clos(ir.UpDown))
	n.f.Table = &ir.Table{Hops: make([][]ir.Entry, len(n.f.Devices)), Ports: make([][][]*ir.Port, len(n.f.Devices))}
	n.f.Table.Hops[0], n.f.Table.Ports[0] = []ir.Entry{ir.NewEntry(0, true)}, [][]*ir.Port{n.f.Devices[0].Ports[:1]}
	kept := n.judge().Keep(n.f, n.proofs, at, nil)
	agree := func() int { return len(Recall(n.f, n.proofs, "snapshot", kept).Of(proof.NeverUpAgain).Agree) }
	require.Equal(t, 6, agree())
	n.f.Table.Hops[0][0] = ir.NewEntry(0, false)
	assert.Zero(t, agree())
	n.f.Table.Hops[0][0] = ir.NewEntry(0, true)
	require.Equal(t, 6, agree())
	n.f.Table.Ports[0][0] = nil
	assert.Zero(t, agree())
}

// device returns a device of a fabric.
func device(f *ir.Fabric, name string) *ir.Device {
	return configured.Devices(f, func(d *ir.Device) bool { return d.Name == name })[0]
}

// A read of some devices keeps the judgements of the others, with their time. A newer answer replaces the older one, also if it no longer
// shows that the device agrees.
func TestKeepSomeDevices(t *testing.T) {
	n := made(planned())
	first := n.judge().Keep(n.f, n.proofs, at, nil)
	later := at.Add(time.Hour)
	some := func(edit func(*ir.Forwarding)) *Result {
		n := made(planned())
		n.seen.Devices = []*ir.Forwarding{n.of("L0")}
		n.seen.Devices[0].When = later
		edit(n.seen.Devices[0])
		return Recall(n.f, n.proofs, "snapshot", n.judge().Keep(n.f, n.proofs, later, first))
	}
	r := some(func(*ir.Forwarding) {})
	assert.Equal(t, Checked, r.Of(proof.NoTunnels).State)
	assert.Equal(t, at, r.Of(proof.NoTunnels).When, "the oldest answer")
	assert.Len(t, r.Of(proof.NeverUpAgain).Agree, 6, "the tables of one device alone say nothing newer")

	r = some(func(d *ir.Forwarding) { d.BGP.Peers[0].Policy = "route-map x" })
	assert.Len(t, r.Of(proof.NoPrepending).Agree, 5, "the newer answer does not show it")
	assert.Equal(t, Unchecked, r.Of(proof.NoPrepending).State)
	assert.Equal(t, Checked, r.Of(proof.NoTunnels).State)

	r = some(func(d *ir.Forwarding) { d.BGP.Peers[0].Prepends = true })
	assert.Equal(t, []string{"L0"}, names(r.Of(proof.NoPrepending).False))

	r = some(func(d *ir.Forwarding) { d.Unread = map[ir.ForwardingPart]string{ir.PartTunnels: "it is cut off"} })
	assert.Len(t, r.Of(proof.NoTunnels).Agree, 5)
}
