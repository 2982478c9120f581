package bnxt

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/target"
)

func place(line int) diag.Range {
	r := diag.Range{Filename: "fabric.hcl"}
	r.Start.Line, r.Start.Byte, r.End.Line, r.End.Byte = line, line, line, line+1
	return r
}

// device returns a host whose NIC carries RoCEv2 by DSCP 26, with ECN and notifications of DSCP 48.
func fixture() *ir.Device {
	f := &ir.Fabric{Name: "test", MTU: 9216, FlowControl: ir.PFC}
	cnp := &ir.CosGroup{
		Name: "cnp", At: place(8), Cos: 6, CosAt: place(8), Strict: true, DSCP: []ir.Claim{{Value: 48, At: place(9)}},
	}
	rdma := &ir.CosGroup{
		Name: "rdma", At: place(2), Cos: 3, CosAt: place(2), Lossless: true, LosslessAt: place(3), Weight: 50,
		DSCP: []ir.Claim{{Value: 26, At: place(4)}}, ECN: &ir.ECN{At: place(5)},
	}
	f.CosGroups = []*ir.CosGroup{{Name: "default", At: place(1), CosAt: place(1), Weight: 50}, rdma, cnp}
	in := &ir.Intent{Name: "training", At: place(20), Version: 2, VersionAt: place(21), Group: rdma, CNP: cnp}
	n := &ir.NIC{
		NICPlaces: &ir.NICPlaces{At: place(50), ModelAt: place(51), MTUAt: place(52)}, Name: nicName,
		Model: ir.Known{Drivers: []*ir.Driver{driver}}.FindNIC("bcm57508"), MTU: 9000, TTL: -1, TOS: -1, RoCE: true, Intents: []*ir.Intent{in},
	}
	d := &ir.Device{
		Name: "gpu1", Group: "gpu", DevicePlaces: &ir.DevicePlaces{At: place(40), Decl: place(40)}, Fabric: f, Host: &ir.Host{NICs: []*ir.NIC{n}},
	}
	n.Device = d
	return d
}

// files renders the host.
func files(t testing.TB, d *ir.Device) map[string]target.File {
	all, ds := Target.Render(d)
	require.Empty(t, ds)
	out := map[string]target.File{}
	for _, f := range all {
		out[f.Path] = f
	}
	return out
}

func stateFile(t testing.TB) target.File { return files(t, fixture())["nic/"+nicName] }

// TestValueFile: the values that the tests of the script use are those of a fabric.
func TestValueFile(t *testing.T) {
	d := fixture()
	all := files(t, d)
	f := all["/etc/rocec/host/"+nicName+".conf"]
	text, ds := f.Edit(nil)
	require.Empty(t, ds)
	var lines strings.Builder
	for line := range strings.Lines(string(text)) {
		if !strings.HasPrefix(line, "#") {
			lines.WriteString(line)
		}
	}
	assert.Equal(t, wanted, lines.String())
	assert.Equal(t, "the interface ens4f0 stops for a moment when the traffic classes or the PFC mask change", f.Activate.Disrupts)
	assert.True(t, Target.NeedsReport(d))
	for _, key := range []string{"ecn_enable", "roce_udp", "prio_vlan", "roce_dscp", "roce_prio", "cnp_dscp", "trust", "dscp_prio3"} {
		assert.NotEmpty(t, f.Why(key), key)
	}
}

// TestNoticed: a plan that changes neither classes nor the PFC mask stops nothing.
func TestNoticed(t *testing.T) {
	d := fixture()
	step := files(t, d)["nic/"+nicName].Activate
	live := func(before, after string) target.Live {
		return func(string) ([]byte, []byte, bool) { return []byte(before), []byte(after), true }
	}
	same := "ets_tc=0,0,0,1,0,0,2,0\npfc=0,0,0,1,0,0,0,0\n"
	what, _ := Target.Noticed(d, &step, live(same+"tos=0\n", same+"tos=104\n"))
	assert.Empty(t, what)
	for _, other := range []string{"ets_tc=0,0,0,0,0,0,0,0\npfc=0,0,0,1,0,0,0,0\n", "ets_tc=0,0,0,1,0,0,2,0\n"} {
		what, outage := Target.Noticed(d, &step, live(other, same))
		assert.Equal(t, step.Disrupts, what)
		assert.NotZero(t, outage)
	}
}

// TestLacks: plan refuses a host that cannot have a required setting, and notes the effect of a missing optional one.
func TestLacks(t *testing.T) {
	show := strings.NewReplacer("ecn_enable=on", "ecn_enable=unsupported: no", "should=", "unknown=", "traffic_class=104",
		"traffic_class=unsupported: the driver has none").Replace(wanted)
	state := stateFile(t)
	_, ds := state.Edit([]byte(show))
	require.False(t, ds.HasErrors(), "%v", ds)
	var text strings.Builder
	for _, d := range ds {
		text.WriteString(d.Detail + "\n")
	}
	assert.Contains(t, text.String(), "ens4f0 of the host group gpu: nothing on it switches congestion control")
	assert.Contains(t, text.String(), "Start NCCL with NCCL_IB_TC=104")
	for _, key := range []string{"pfc", "trust", "dscp_prio3", "roce_udp", "cnp_dscp", "dcbx", "ets_tc", "tos"} {
		_, ds := state.Edit([]byte(strings.Replace(show, "\n"+key+"="+line(show, key), "\n"+key+"=unsupported: it is not there", 1)))
		assert.True(t, refused(ds, key), key)
	}
}

// TestBoth: while a NIC has the old and the new settings, a lossless class that ends keeps its share and a number of its own.
func TestBoth(t *testing.T) {
	d := fixture()
	old := map[string]string{"nic/" + nicName: strings.NewReplacer("pfc=0,0,0,1,0,0,0,0", "pfc=0,0,0,0,0,1,0,0").Replace(wanted)}
	_, why := Target.Transition(d, func(path string) []byte { return []byte(old[path]) }, true)
	assert.Contains(t, why, "these are 2 lossless priorities, but the NIC has 1")

	d = fixture()
	in := d.Host.NICs[0].Intents[0]
	in.Group.Lossless = false
	old["nic/"+nicName] = wanted
	all, why := Target.Transition(d, func(path string) []byte { return []byte(old[path]) }, true)
	require.Empty(t, why)
	text := string(all["/etc/rocec/host/"+nicName+".conf"])
	assert.Equal(t, "0,0,0,1,0,0,0,0", line(text, "pfc"))
	assert.Equal(t, "0,0,0,1,0,0,2,0", line(text, "ets_tc"))
	assert.Equal(t, "50,50,0,0,0,0,0,0", line(text, "ets_bw"))
}

// TestClaims: an answer decides a claim, no answer leaves it open.
func TestClaims(t *testing.T) {
	answers := map[string][3]string{ // true, false, open
		"bnxt-dcbx-host":     {"host ieee \n", "lld-managed ieee \n", "Attribute read: Operation not supported\n"},
		"bnxt-pfc-cap":       {"pfc-cap 1 \n", "pfc-cap 0 \n", ""},
		"bnxt-three-classes": {"ets-cap 8 \n", "ets-cap 2 \n", "ets-cap\n"},
		"bnxt-cc-place":      {"enable_cc\ntos_ecn\n", "", "ls: cannot access\n"},
		"bnxt-cc-apply":      {"ecn (ecn_enable): x\n(ecn_marking)\ncongestion (cc_mode): y\n", "congestion\n", "cat: no such file\n"},
		"bnxt-watchdog":      {"pfc-prevention-tout: 100\n", "pfc-prevention-tout: 0\n", "netlink error: Operation not supported\n"},
		"bnxt-rdma-counters": {"rx_pkts\noos_drop_count\nseq_err_naks_rcvd\nrx_roce_discards\n", "rx_pkts\n", ""},
	}
	seen := map[string]bool{}
	for _, c := range claims(fixture().Host.NICs[0]) {
		seen[c.ID] = true
		a, is := answers[c.ID]
		if !is {
			continue
		}
		assert.Equal(t, target.Decide(true, true), c.Judge([]byte(a[0])), c.ID)
		if a[1] != "" {
			assert.Equal(t, target.Decide(true, false), c.Judge([]byte(a[1])), c.ID)
		}
		assert.Equal(t, target.Decide(false, false), c.Judge([]byte(a[2])), c.ID)
	}
	for id := range answers {
		assert.True(t, seen[id], id)
	}
}
