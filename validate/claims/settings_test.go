package claims

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/ir/irtest"
	"github.com/rocec/rocec/compiler/platform"
	"github.com/rocec/rocec/validate/configured"
	"github.com/rocec/rocec/validate/proof"
)

// bondedTree is a bridged tree of two switches, whose two cables are one bond.
func bondedTree() *irtest.Cabling {
	c := irtest.New(ir.SpanningTree).Links("L0-S0 L0-S0").Hosts("L0", "S0")
	for _, l := range c.F.Links[:2] {
		l.Routed, l.Bond = false, 1
	}
	return c
}

// configure gives each device the settings that the fabric wants, sizes for them, and bonds.
func (n *network) configure() {
	for _, l := range n.f.Links {
		l.MTU.N, l.Length = 1500, ir.Length{Metres: 5, From: ir.Origin{Why: "a test"}}
	}
	buffers := []*ir.Buffer{{Group: n.f.CosGroups[0], Size: ir.Derived{N: 70000}, Xoff: ir.Derived{N: 18000}}}
	for _, p := range n.f.Ports {
		p.SetBuffers(buffers)
	}
	for _, d := range n.f.Devices {
		c := &configured.Setup{Of: d, Settings: d.Wanted(), Bonds: map[string]string{}, When: at}
		if d.Switch != nil {
			d.Switch.Model = &platform.Switch{ASIC: &platform.ASIC{Buffer: 16 << 20}}
		}
		for _, p := range d.Ports {
			if c.Bonds[p.Name] = ""; p.Link().Bond != 0 {
				c.Bonds[p.Name] = "bond1"
			}
		}
		n.seen.Settings = append(n.seen.Settings, c)
		for _, p := range d.Ports {
			change(c, p.Name, func(s *ir.PortSettings, detail *ir.PortDetail) {
				detail.Queues[3].Limit, detail.Cable = ir.Of(ir.Limit{}), ir.Setting[int]{}
			})
		}
	}
}

// settings returns what was read on a device.
func (n *network) settings(name string) *configured.Setup {
	return n.seen.Settings[device(n.f, name).ID]
}

// change changes the settings of a port that were read.
func change(c *configured.Setup, port string, edit func(s *ir.PortSettings, detail *ir.PortDetail)) {
	s, d := *c.Settings.Port(port), c.Settings.Port(port).Detail.Get()
	edit(&s, &d)
	s.Detail = ir.NewDetail(d)
	c.Settings.Set(port, s)
}

// detail is an edit of details only.
func detail(edit func(d *ir.PortDetail)) func(*ir.PortSettings, *ir.PortDetail) {
	return func(_ *ir.PortSettings, d *ir.PortDetail) { edit(d) }
}

// Settings that agree on all devices check an assumption, or its part. One that contradicts it or is not known does not, and is the
// reason.
func TestSettings(t *testing.T) {
	type edits = map[string]func(*ir.PortSettings, *ir.PortDetail) // of p0 on L0, by the reason
	for code, x := range map[proof.AssumptionCode]struct {
		text            string // all agree
		against, unsure edits
	}{
		proof.Classified: {
			"checked on 2 of 2 switches, 27 Nov 10:02 UTC",
			edits{
				"DSCP is not trusted":                        func(s *ir.PortSettings, _ *ir.PortDetail) { s.Trust = ir.Trust{PCP: true} },
				"DSCP 26 is put in cos 0, and not in 3":      func(s *ir.PortSettings, _ *ir.PortDetail) { s.DSCP[26] = 0 },
				"DSCP 10 is put in cos 3, which is lossless": func(s *ir.PortSettings, _ *ir.PortDetail) { s.DSCP[10] = 3 },
				"packets without a trusted field are put in cos 3, which is lossless": detail(func(d *ir.PortDetail) {
					d.DefaultCos = ir.Of(int8(3))
				}),
			},
			edits{
				"the trusted fields are not known": func(s *ir.PortSettings, _ *ir.PortDetail) { s.TrustKnown = false },
				"the cos of DSCP 26 is not known":  func(s *ir.PortSettings, _ *ir.PortDetail) { s.DSCP[26] = -1 },
				"the cos of DSCP 10 is not known":  func(s *ir.PortSettings, _ *ir.PortDetail) { s.DSCP[10] = -1 },
				"it is not known whether the DSCP of packets that leave is rewritten": detail(func(d *ir.PortDetail) {
					d.RewriteDSCP = ir.Setting[bool]{}
				}),
				"the DSCP of packets that leave is rewritten, and the values are not compared": detail(func(d *ir.PortDetail) {
					d.RewriteDSCP = ir.Of(true)
				}),
			},
		},
		proof.GuaranteedBuffer: {
			"checked on 2 of 2 switches, 27 Nov 10:02 UTC",
			edits{
				"priority group 3 reserves nothing": detail(func(d *ir.PortDetail) { d.Groups[3].Buffer = ir.Of(0) }),
				"queue 3 gets nothing from its pool": detail(func(d *ir.PortDetail) {
					d.Queues[3].Limit = ir.Of(ir.Limit{Kind: ir.LimitZero})
				}),
				"queue 3 is limited to a part of the free memory of its pool": detail(func(d *ir.PortDetail) {
					d.Queues[3].Limit = ir.Of(ir.Limit{Kind: ir.LimitAlpha, N: -1})
				}),
			},
			edits{
				"priority group 3 reserves 1000 B, and a frame has up to 1522 B": detail(func(d *ir.PortDetail) {
					d.Groups[3].Buffer = ir.Of(1000)
				}),
				"priority group 3 sends a pause at 1500 B, and a frame has up to 1522 B": detail(func(d *ir.PortDetail) {
					d.Groups[3].Xoff = ir.Of(1500)
				}),
				"the priority group of cos 3 is not known":               detail(func(d *ir.PortDetail) { d.Group[3] = -1 }),
				"the queue of cos 3 is not known":                        detail(func(d *ir.PortDetail) { d.Queue[3] = -1 }),
				"the bytes that priority group 3 reserves are not known": detail(func(d *ir.PortDetail) { d.Groups[3].Buffer.Is = ir.NotKnown }),
				"the limit of queue 3 is not known":                      detail(func(d *ir.PortDetail) { d.Queues[3].Limit.Is = ir.NotKnown }),
				"queue 3 has a limit": detail(func(d *ir.PortDetail) {
					d.Queues[3].Limit = ir.Of(ir.Limit{Kind: ir.LimitBytes, N: 10000})
				}),
			},
		},
		proof.PausesWork: {
			"not checked; PFC and headroom are as in the fabric, and the time until a port obeys is not known, on 2 of 2 " +
				"switches and 2 of 2 hosts, 27 Nov 10:02 UTC",
			edits{
				"no pauses are sent for cos 3":      func(s *ir.PortSettings, _ *ir.PortDetail) { s.Sends = 0 },
				"pauses for cos 3 are not obeyed":   func(s *ir.PortSettings, _ *ir.PortDetail) { s.Obeys = 0 },
				"link pause is on at the device or": func(s *ir.PortSettings, _ *ir.PortDetail) { s.LinkPause = true },
				"headroom is 40000 B, and the fabric needs 52000 B": func(s *ir.PortSettings, _ *ir.PortDetail) {
					s.Headroom = 40000
				},
			},
			edits{
				"PFC is not known":      func(s *ir.PortSettings, _ *ir.PortDetail) { s.PausesKnown = false },
				"headroom is not known": func(s *ir.PortSettings, _ *ir.PortDetail) { s.Headroom = 0 },
				"headroom is 30000 B, and the fabric calculates 52000 B": func(s *ir.PortSettings, d *ir.PortDetail) {
					s.Headroom, d.Cable = 30000, ir.Of(5)
				},
				"headroom is 51000 B, and the fabric calculates 52000 B": func(s *ir.PortSettings, _ *ir.PortDetail) {
					s.Headroom = 51000
				},
			},
		},
		proof.BondsFormed: {text: "checked on 2 of 2 switches, 27 Nov 10:02 UTC"},
	} {
		t.Run(string(code), func(t *testing.T) {
			judged := func(edit func(n *network)) *Standing {
				n := made(bondedTree())
				n.configure()
				edit(n)
				return n.judge().Of(code)
			}
			is := judged(func(*network) {})
			assert.Equal(t, x.text, is.Text())
			assert.Empty(t, is.Why)
			assert.Equal(t, is.Part == "", is.State == Checked)
			for why, edit := range x.against {
				is := judged(func(n *network) { change(n.settings("L0"), "p0", edit) })
				assert.Equal(t, Unchecked, is.State, why)
				assert.Equal(t, []string{"L0"}, names(is.False), why)
				assert.Contains(t, is.Why, "L0: at p0, "+why)
				assert.Contains(t, is.Text(), "contradicted by L0; L0: at p0, "+why)
			}
			for why, edit := range x.unsure {
				is := judged(func(n *network) { change(n.settings("L0"), "p0", edit) })
				assert.Equal(t, Unchecked, is.State, why)
				assert.Empty(t, is.False, why)
				assert.Len(t, is.Agree, len(is.Scope)-1, why)
				assert.Equal(t, "L0: at p0, "+why, is.Why)
				assert.Contains(t, is.Text(), why)
			}
			for why, edit := range map[string]func(c *configured.Setup){
				"":                     func(c *configured.Setup) { *c = configured.Setup{Of: c.Of} },
				"L0: it is refused":    func(c *configured.Setup) { c.Settings, c.Bonds, c.Why = nil, nil, "it is refused" },
				`L0: \x1b is not read`: func(c *configured.Setup) { c.Why = "\x1b is not read" },
			} {
				is := judged(func(n *network) { edit(n.settings("L0")) })
				assert.Equal(t, Unchecked, is.State, why)
				assert.Len(t, is.Agree, len(is.Scope)-1, why)
				assert.Equal(t, why, is.Why)
			}
			is = judged(func(n *network) { n.seen.Settings = n.seen.Settings[:0] })
			assert.Equal(t, "not checked", is.Text(), "the forwarding alone does not show it")
			is = judged(func(n *network) { n.seen.Settings[0].When = at.Add(-time.Hour) })
			assert.Equal(t, at.Add(-time.Hour), is.When, "the oldest")
		})
	}
}

// Settings alone are an answer, and settings that differ are no finding of this package.
func TestSettingsAlone(t *testing.T) {
	n := made(bondedTree())
	n.configure()
	n.seen.Devices = nil
	change(n.settings("L0"), "p0", func(s *ir.PortSettings, _ *ir.PortDetail) { s.DSCP[26] = 0 })
	r := n.judge()
	assert.True(t, r.Read)
	assert.Empty(t, r.Findings)
	assert.Nil(t, r.Running)
	assert.Equal(t, []string{"L0"}, names(r.Of(proof.Classified).False))
	assert.Equal(t, Checked, r.Of(proof.GuaranteedBuffer).State)
}

// A host has to obey pauses. It need not send them, and its own headroom does not matter.
func TestSettingsOfHosts(t *testing.T) {
	for why, edit := range map[string]func(*ir.PortSettings, *ir.PortDetail){
		"":                                       func(s *ir.PortSettings, _ *ir.PortDetail) { s.Sends, s.Headroom = 0, 0 },
		"at p0, pauses for cos 3 are not obeyed": func(s *ir.PortSettings, _ *ir.PortDetail) { s.Obeys = 0 },
	} {
		n := made(bondedTree())
		n.configure()
		host := hosts(n.f)[0].Name
		change(n.settings(host), "p0", edit)
		if why != "" {
			why = host + ": " + why
		}
		assert.Equal(t, why, n.judge().Of(proof.PausesWork).Why)
	}
}

// The cables of a bond are ports of one bond on both switches.
func TestBonds(t *testing.T) {
	for why, x := range map[string]struct {
		edit    func(c *configured.Setup)
		against bool
	}{
		"the bonds are not known":                   {func(c *configured.Setup) { c.Bonds = nil }, false},
		"at p1, the bond is not known":              {func(c *configured.Setup) { delete(c.Bonds, "p1") }, false},
		"at p0, no bond is formed":                  {func(c *configured.Setup) { c.Bonds["p0"] = "" }, true},
		"at p1, the cable is not in the bond of p0": {func(c *configured.Setup) { c.Bonds["p1"] = "bond2" }, true},
	} {
		n := made(bondedTree())
		n.configure()
		x.edit(n.settings("S0"))
		is := n.judge().Of(proof.BondsFormed)
		assert.Equal(t, "S0: "+why, is.Why)
		assert.Equal(t, x.against, len(is.False) == 1, why)
		assert.Equal(t, Unchecked, is.State, why)
	}
}

// Judgements of settings are kept with their reasons, and do not count after the fabric has changed a setting that it wants.
func TestRecallSettings(t *testing.T) {
	for name, x := range map[string]struct {
		edit func(f *ir.Fabric)
		left int // switches whose classification is still known
	}{
		"nothing": {func(*ir.Fabric) {}, 2},
		"DSCP":    {func(f *ir.Fabric) { f.CosGroups[0].DSCP[0].Value = 27 }, 0},
		"headroom of a switch": {func(f *ir.Fabric) {
			device(f, "L0").Ports[0].SetBuffers([]*ir.Buffer{{Group: f.CosGroups[0], Size: ir.Derived{N: 90000}, Xoff: ir.Derived{N: 18000}}})
		}, 1},
		"bond": {func(f *ir.Fabric) { f.Links[1].Bond = 2 }, 0},
		"model": {func(f *ir.Fabric) {
			device(f, "S0").Switch.Model = &platform.Switch{Name: "other", ASIC: &platform.ASIC{}}
		}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			n := made(bondedTree())
			n.configure()
			change(n.settings("L0"), "p0", func(s *ir.PortSettings, _ *ir.PortDetail) { s.Sends = 0 })
			r := n.judge()
			kept := r.Keep(n.f, n.proofs, at, nil)
			require.Equal(t, kept, r.Keep(n.f, n.proofs, at, nil), "the same bytes again")
			x.edit(n.f)
			again := Recall(n.f, n.proofs, "snapshot", kept)
			assert.Len(t, again.Of(proof.Classified).Agree, x.left)
			if name == "nothing" {
				for _, code := range []proof.AssumptionCode{proof.Classified, proof.PausesWork, proof.GuaranteedBuffer, proof.BondsFormed} {
					want, got := r.Of(code), again.Of(code)
					assert.Equal(t, []any{want.Text(), want.Why, want.State, want.When}, []any{got.Text(), got.Why, got.State, got.When})
				}
				assert.Equal(t, "L0: at p0, no pauses are sent for cos 3", again.Of(proof.PausesWork).Why)
			}
		})
	}
	n := made(bondedTree())
	n.configure()
	kept := n.judge().Keep(n.f, n.proofs, at, nil)
	later := made(bondedTree())
	later.configure()
	later.seen.Settings[device(later.f, "L0").ID].Settings = nil
	later.seen.Settings[device(later.f, "L0").ID].Bonds = nil
	later.seen.Settings[device(later.f, "L0").ID].Why = "rocec refuses it"
	again := Recall(later.f, later.proofs, "snapshot", later.judge().Keep(later.f, later.proofs, at.Add(time.Hour), kept))
	assert.Equal(t, []string{"S0"}, names(again.Of(proof.Classified).Agree), "the newer answer does not show it")
	later.seen.Settings[device(later.f, "L0").ID].Why = ""
	again = Recall(later.f, later.proofs, "snapshot", later.judge().Keep(later.f, later.proofs, at.Add(time.Hour), kept))
	assert.Equal(t, Checked, again.Of(proof.Classified).State, "a silent device keeps its older answer")
}
