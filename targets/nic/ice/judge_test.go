package ice

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/nic"
	"github.com/rocec/rocec/targets/target"
)

// Each condition of the driver is reported with its severity, and a NIC without any has none.
func TestJudge(t *testing.T) {
	for _, c := range []struct {
		name  string
		spoil func(d *ir.Device, n *ir.NIC)
		want  string
	}{
		{"nothing", func(_ *ir.Device, n *ir.NIC) { n.Intents[0].Group.ECN = nil }, ""},
		{"the mark of CNPs", func(*ir.Device, *ir.NIC) {}, "note host-condition: ens1 of the host group gpu: the driver irdma"},
		{"a bond", func(_ *ir.Device, n *ir.NIC) {
			n.Intents[0].Group.ECN = nil
			n.Bond = &ir.Bond{Name: "bond0", NICs: []*ir.NIC{n}}
		}, "warning host-condition: The nic ens1 of the host group gpu is a port of the bond bond0."},
		{"a full map", func(d *ir.Device, n *ir.NIC) {
			g := n.Intents[0].Group
			g.ECN, g.DSCP = nil, nil
			for dscp := range 64 {
				if dscp>>3 != g.Cos {
					g.DSCP = append(g.DSCP, ir.Claim{Value: dscp})
				}
			}
			all := &ir.CosGroup{Name: "rest", Cos: 5}
			for dscp := g.Cos << 3; dscp < g.Cos<<3+8; dscp++ {
				all.DSCP = append(all.DSCP, ir.Claim{Value: dscp})
			}
			d.Fabric.CosGroups = []*ir.CosGroup{d.Fabric.CosGroups[0], g, all}
		}, "error host-condition: The nic ens1 of the host group gpu would need 64 entries in its DSCP map"},
		{"two lossless groups", func(d *ir.Device, n *ir.NIC) {
			second := *n.Intents[0]
			second.Group = &ir.CosGroup{Name: "storage", Cos: 4, Lossless: true, DSCP: []ir.Claim{{Value: 34}}}
			d.Fabric.CosGroups, n.Intents = append(d.Fabric.CosGroups, second.Group), append(n.Intents, &second)
		}, "error host-condition: The cable of the nic ens1 of the host group gpu is lossless for 2 cos groups (rdma, storage)"},
		{"a TTL", func(_ *ir.Device, n *ir.NIC) { n.Intents[0].Group.ECN, n.TTL = nil, 3 }, "error host-option: The nic ens1"},
		{"RoCE off", func(_ *ir.Device, n *ir.NIC) { n.RoCE, n.Intents = false, nil }, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := device(t, true)
			c.spoil(d, d.Host.NICs[0])
			var b strings.Builder
			for _, f := range Target.Check(d) {
				b.WriteString(f.Severity.String() + " " + f.Code + ": " + f.Detail + "\n")
			}
			if c.want == "" {
				assert.Empty(t, b.String())
			} else {
				assert.Contains(t, b.String(), c.want)
			}
		})
	}
	d := device(t, false)
	assert.Contains(t, textOf(Target.Check(d)), "older drivers irdma take the PCP of RoCEv2 packets from their type of service")
}

func textOf(ds diag.List) string {
	var b strings.Builder
	for _, f := range ds {
		b.WriteString(f.Detail + "\n")
	}
	return b.String()
}

// A step names the NICs that it stops. A plan that keeps the map, the classes and PFC stops none.
func TestNoticed(t *testing.T) {
	d := device(t, true)
	step := render(t, d)[0].Activate
	assert.Equal(t, "the interface ens1 stops for a moment when the DSCP map, the traffic classes or the PFC mask change", step.Disrupts)
	now := value(t, d)
	live := func(before, after string) target.Live {
		return func(string) ([]byte, []byte, bool) { return []byte(before), []byte(after), true }
	}
	what, _ := Target.Noticed(d, &step, live(strings.Replace(now, "tos=104", "tos=0", 1), now))
	assert.Empty(t, what)
	for _, change := range [][2]string{
		{"trust=dscp", "trust=pcp"}, {"lldp_agent=off", "lldp_agent=on"}, {"dscp_prio3=26", "dscp_prio3=none"},
	} {
		what, outage := Target.Noticed(d, &step, live(strings.Replace(now, change[0], change[1], 1), now))
		assert.Equal(t, step.Disrupts, what, change)
		assert.NotZero(t, outage)
	}
	assert.True(t, Target.NeedsReport(d))
}

// A NIC that leaves its intents stops for the reasons and the time of the family.
func TestLeaving(t *testing.T) {
	d := &ir.Device{Host: &ir.Host{}}
	files := Target.Cleanup(d)[0].Files([]byte("nic ens1\n\ttos=0\nnic ens2\n\ttos=0\n"))
	require.NotEmpty(t, files)
	assert.Equal(t, "ens1, ens2 get back their settings from before rocec, and the interfaces stop for a moment when the DSCP map, "+
		"the traffic classes or the PFC mask change", files[0].Activate.Disrupts)
	assert.Equal(t, ir.Outage{Least: time.Second, Most: time.Minute}, files[0].Activate.Outage)
}

// The settings without a switch on a host are refused by plan, except DCQCN, whose lack is a note.
func TestLacks(t *testing.T) {
	d := device(t, true)
	var state target.File
	for _, f := range render(t, d) {
		if f.Path == "nic/ens1" {
			state = f
		}
	}
	text := value(t, d)
	for key := range strings.SplitSeq("dcbx dscp_prio3 ets_bw lldp_agent pause pfc roce roce_mode tos trust", " ") {
		_, ds := state.Edit([]byte(strings.Replace(text, key+"="+line(text, key), key+"=unsupported: it is not there", 1)))
		assert.True(t, refused(ds, key), key)
	}
	_, ds := state.Edit([]byte(strings.Replace(text, "dcqcn=on", "dcqcn=unsupported: no", 1)))
	assert.False(t, ds.HasErrors(), "%v", ds)
	assert.Contains(t, textOf(ds), "its driver irdma has no switch for DCQCN")
	assert.Contains(t, textOf(ds), "NCCL_IB_TC=104", "queue pairs without RDMA-CM mark themselves")
	for _, f := range render(t, d) {
		if f.Path == "/etc/rocec/host/ens1.conf" {
			assert.NotEmpty(t, f.Why("dcqcn"))
			assert.NotEmpty(t, f.Why("lldp_agent"))
		}
	}
}

// The answers of a real host decide a claim, and an answer without the program decides none.
func TestClaims(t *testing.T) {
	good := map[string]string{
		"ice-agent-flag": "Private flags for ens1:\nlink-down-on-close     : off\nfw-lldp-agent          : off\n",
		"ice-classes":    "ets-cap 8 \n",
		"ice-enable-roce": "pci/0:\n  name enable_roce type generic\n    values:\n      cmode runtime value true\n" +
			"pci/0:\n  name enable_iwarp type generic\n    values:\n      cmode runtime value false\n",
		"ice-dcqcn-place": "/sys/kernel/config/irdma\nown\nloaded\n",
	}
	bad := map[string]string{
		"ice-agent-flag": "Private flags for ens1:\nlink-down-on-close     : off\n", "ice-classes": "ets-cap 4 \n",
		"ice-enable-roce": "pci/0:\n  name enable_roce type generic\n    values:\n      cmode driverinit value true\n",
		"ice-dcqcn-place": "own\nloaded\n",
	}
	seen := 0
	for _, c := range Target.Claims(device(t, true)) {
		if good[c.ID] == "" {
			continue
		}
		seen++
		assert.Equal(t, target.Decide(true, true), c.Judge([]byte(good[c.ID])), c.ID)
		assert.Equal(t, target.Decide(true, false), c.Judge([]byte(bad[c.ID])), c.ID)
		assert.Equal(t, target.Decide(false, true), c.Judge([]byte("sh: not found\n(exit status 127)\n")), c.ID)
	}
	assert.Equal(t, len(good), seen)
}

// The parameters of irdma give hints only where they change the effect of the fabric. Values of a device are escaped.
func TestModule(t *testing.T) {
	s := family.Lower(device(t, true).Host.NICs[0])
	hints := func(answer string) string {
		var b strings.Builder
		for _, sample := range moduleProbe(s).Samples([]byte(answer)) {
			b.WriteString(sample.Hint)
		}
		return b.String()
	}
	assert.Empty(t, hints(""))
	assert.Empty(t, hints("roce_ena 1\nroce_port_cfg 0\ndcqcn_enable 0\ndcqcn_cc_cfg_valid N\n"))
	assert.Empty(t, hints("roce_ena 0\nroce_port_cfg 0x3\n"))
	assert.Contains(t, hints("roce_ena N\nroce_port_cfg 0\n"), "The module irdma on gpu1 starts its NICs with iWARP (roce_ena = N).")
	assert.Contains(t, hints("roce_ena 1\ndcqcn_cc_cfg_valid Y\x1b\n"), `(dcqcn_cc_cfg_valid = Y\x1b)`)
	assert.Contains(t, hints("dcqcn_cc_cfg_valid Y\ndcqcn_F 5\ndcqcn_T 55\x1b\n"), `which rocec does not judge: F = 5, T = 55\x1b.`)
	assert.Empty(t, hints("dcqcn_enable 1\n"))
	names := func(answer string) (all []string) {
		for _, sample := range moduleProbe(s).Samples([]byte(answer)) {
			all = append(all, sample.Name)
		}
		return all
	}
	assert.Equal(t, []string{"dcqcn_cc_cfg_valid"}, names("dcqcn_F 5\ndcqcn_cc_cfg_valid N\n"), "without the switch they have no effect")
	assert.Equal(t, []string{"dcqcn_cc_cfg_valid", "dcqcn_F"}, names("dcqcn_F 5\ndcqcn_cc_cfg_valid Y\n"))
	plain := device(t, true)
	plain.Host.NICs[0].Intents[0].Group.ECN = nil
	s = family.Lower(plain.Host.NICs[0])
	assert.Contains(t, hints("dcqcn_enable 1\n"), "has DCQCN on (dcqcn_enable = 1), and no cos group of ens1 has an ecn block")
	assert.Empty(t, hints("dcqcn_enable 0\ndcqcn_cc_cfg_valid Y\n"))
}

// Each priority has a class that the driver accepts, in the order of the priorities' classes before, and shares sum to 100.
func TestFit(t *testing.T) {
	s := &nic.Settings{Card: ir.Card{
		TC: [8]uint8{2, 2, 2, 5, 2, 2, 7, 2}, ETS: [8]bool{2: true, 5: true}, Share: [8]uint8{2: 30, 5: 70},
	}}
	fit(s)
	assert.Equal(t, [8]uint8{0, 0, 0, 1, 0, 0, 2, 0}, s.TC)
	assert.Equal(t, [8]bool{true, true}, s.ETS)
	assert.Equal(t, [8]uint8{30, 70}, s.Share)
	fit(s)
	assert.Equal(t, [8]uint8{0, 0, 0, 1, 0, 0, 2, 0}, s.TC, "a second time changes nothing")
}
