package change_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/compiler/change"
	"github.com/rocec/rocec/compiler/compilertest"
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/ir/irtest"
	"github.com/rocec/rocec/compiler/routes"
	"github.com/rocec/rocec/targets"
)

// cosFabric compiles a fabric of two leaves with two hosts each and two spines, with the cos groups and intents in classes.
func cosFabric(t testing.TB, leaves int, classes string, more ...string) *ir.Fabric {
	text := fmt.Sprintf(`
fabric "f" {
  routing  = "up-down"
  %[3]s
}
%[2]s
switch "leaf" {
  names   = "leaf[1-%[1]d]"
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
host "h" {
  names = "h[1-%[4]d]"
  nic "ens1f0" {
    model = "connectx-5"
    mtu   = 9000
  }
}
link "hosts" {
  a      = "h[1-%[4]d]:ens1f0"
  b      = "leaf[1-%[1]d]:swp[1-2]"
  speed  = "25G"
  length = "3m"
}
mesh "uplinks" {
  lower  = "leaf[1-%[1]d]:swp[31-32]"
  upper  = "spine[1-2]:swp[1-%[1]d]"
  length = "30m"
}
`, leaves, classes, strings.Join(more, "\n"), 2*leaves)
	return compilertest.Compile(t, text)
}

// lossless returns a lossless class and its intent.
func lossless(name string, cos, dscp int) string {
	return fmt.Sprintf(`
cos_group %q {
  cos      = %d
  dscp     = [%d]
  lossless = true
}
roce %[1]q {
  version   = 2
  cos_group = cos_group.%[1]s
  members   = [host.h]
}
`, name, cos, dscp)
}

const lossy = `
cos_group "rdma" {
  cos  = 3
  dscp = [26]
}
roce "rdma" {
  version   = 2
  cos_group = cos_group.rdma
  members   = [host.h]
}
`

// tagged is a class identified by PCP.
const tagged = `
cos_group "rdma" {
  cos      = 3
  lossless = true
}
roce "rdma" {
  version   = 2
  cos_group = cos_group.rdma
  members   = [host.h]
  vlan      = 100
}
`

// written returns the settings of devices to which the fabric is applied, by name.
func written(t testing.TB, f *ir.Fabric) map[string]*ir.Settings {
	tree, ds := targets.Render(f)
	require.False(t, ds.HasErrors(), fmt.Sprint(ds))
	out := map[string]*ir.Settings{}
	for _, d := range tree.Devices {
		content := map[string][]byte{}
		for _, file := range d.Files {
			content[file.Path], _ = file.Edit(nil)
		}
		out[d.Name] = d.Target.Read(d.Source, func(path string) []byte { return content[path] })
	}
	return out
}

// factory returns settings of a device on which nothing is lossless.
func factory() *ir.Settings {
	p := ir.UnknownPort()
	p.PausesKnown, p.TrustKnown, p.Trust = true, true, ir.Trust{PCP: true}
	for v := range p.PCP {
		p.PCP[v] = int8(v)
	}
	return &ir.Settings{Rest: &p}
}

// edited returns settings with an edit on every port.
func edited(s *ir.Settings, edit func(p *ir.PortSettings)) *ir.Settings {
	out := &ir.Settings{}
	for port, p := range s.Ports {
		other := *p
		edit(&other)
		out.Set(port, other)
	}
	if s.Rest != nil {
		rest := *s.Rest
		edit(&rest)
		out.Rest = &rest
	}
	return out
}

// holds returns the settings of every device before and after; edit changes some of them.
func holds(t testing.TB, f *ir.Fabric, old map[string]*ir.Settings, edit func(name string, h *change.Held)) []change.Held {
	next := written(t, f)
	held := make([]change.Held, len(f.Devices))
	for i, d := range f.Devices {
		held[i] = change.Held{Old: old[d.Name], New: next[d.Name]}
		if old == nil {
			held[i].Old = factory()
		}
		if edit != nil {
			edit(d.Name, &held[i])
		}
	}
	return held
}

// drawPhases shows phases and gaps in a short form.
func drawPhases(phases []change.Phase, gaps []*change.Gap) string {
	var out []string
	for _, p := range phases {
		by := map[change.Stage][]string{}
		for _, m := range p.Moves {
			by[m.To] = append(by[m.To], m.Device.Name)
		}
		var text strings.Builder
		text.WriteString(string(p.Step))
		for s := change.Both; s <= change.New; s++ {
			if by[s] != nil {
				text.WriteString(fmt.Sprintf("; %s: %s", s, strings.Join(by[s], " ")))
			}
		}
		out = append(out, text.String())
	}
	for _, g := range gaps {
		out = append(out, g.String())
	}
	return strings.Join(out, "\n")
}

func TestPhases(t *testing.T) {
	const switches, hosts = "leaf1 leaf2 spine1 spine2", "h1 h2 h3 h4"
	all := hosts + " " + switches
	away := func(names ...string) func(string, *change.Held) {
		return func(name string, h *change.Held) {
			for _, n := range names {
				h.Away = h.Away || n == name
			}
		}
	}
	unread := func(names ...string) func(string, *change.Held) {
		return func(name string, h *change.Held) {
			if slices.Contains(names, name) {
				*h = change.Held{Away: true}
			}
		}
	}
	one := lossless("rdma", 3, 26)
	local := strings.Replace(one, "host.h", `"h[1-2]"`, 1)
	for _, c := range []struct {
		name     string
		old, new string // classes; no old: devices have factory settings
		edit     func(string, *change.Held)
		want     string
	}{
		{name: "nothing changes", old: one, new: one},
		{name: "PFC added", new: one, want: "switches; new: " + switches + "\nhosts; new: " + hosts},
		{name: "PFC removed", old: one, new: lossy, want: "hosts; new: " + hosts + "\nremovals; new: " + switches},
		{
			name: "a class added", old: one, new: one + lossless("more", 4, 34),
			want: "expand; both: " + hosts + "; new: " + switches + "\nmigrate; new: " + hosts,
		},
		{
			name: "class moved", old: one, new: lossless("rdma", 4, 34),
			want: "expand; both: " + all + "\nmigrate; marked: " + hosts + "\ncontract; new: " + all,
		},
		{
			name: "class moved under its DSCP", old: one, new: lossless("rdma", 4, 26),
			want: "h1:ens1f0 (old) to leaf1:swp1 (new): DSCP 26 is cos 3 at h1 and cos 4 at leaf1, so the pauses of leaf1 do not stop it\n" +
				"h2:ens1f0",
		},
		{
			name: "trust in PCP becomes trust in DSCP", old: tagged, new: one,
			want: "h1:ens1f0 (old) to leaf1:swp1 (both): it is unknown whether both ends pause PCP 3 in the same cos\n",
		},
		{name: "a class of another DSCP in the same cos", old: one, new: lossless("rdma", 3, 27), want: "expand; both: " + all},
		{
			name: "PFC added, a spine away", new: one, edit: away("spine2"),
			want: "leaf1:swp32 (new) to spine2:swp1 (old): DSCP 26 is cos 3 at leaf1 and cos 0 at spine2",
		},
		{
			name: "PFC added, a host away", new: one, edit: away("h2"),
			want: "switches; new: " + switches + "\nhosts; new: h1 h3 h4",
		},
		{
			name: "PFC removed, a host away", old: one, new: lossy, edit: away("h2"),
			want: "hosts; new: h1 h3 h4\nremovals; new: " + switches,
		},
		{
			name: "PFC removed, two hosts away", old: one, new: lossy, edit: away("h2", "h3"),
			want: "h2:ens1f0 (old) to leaf1:swp2 (new): leaf1 sends no pauses for cos 3, the cos of DSCP 26\n",
		},
		{
			name: "class moved, a host away", old: one, new: lossless("rdma", 4, 34), edit: away("h2"),
			want: "leaf1:swp2 (both) to h2:ens1f0 (old): h2 sends no pauses for cos 4, the cos of DSCP 34\n",
		},
		{
			name: "PFC added, nothing known of a host", new: one,
			edit: func(name string, h *change.Held) {
				if name == "h2" {
					*h = change.Held{}
				}
			},
			want: "switches; new: " + switches + "\nhosts; new: h1 h3 h4",
		},
		{
			name: "nothing known of a host, and its port stays", old: one, new: one,
			edit: func(name string, h *change.Held) {
				switch name {
				case "h2":
					*h = change.Held{}
				case "leaf2", "h3":
					h.Old = factory()
				}
			},
			want: "switches; new: leaf2\nhosts; new: h3",
		},
		{
			name: "PFC removed, nothing known of a host", old: one, new: lossy,
			edit: func(name string, h *change.Held) {
				if name == "h2" {
					*h = change.Held{}
				}
			},
			want: "h2:ens1f0 (old) to leaf1:swp2 (new): h2 was not read, and the lossless priorities towards it change",
		},
		{
			name: "PFC added in one rack, hosts of other racks unknown", new: local, edit: unread("h3", "h4"),
			want: "switches; new: leaf1 leaf2 spine1 spine2\nhosts; new: h1 h2",
		},
		{
			name: "a class of other hosts removed, hosts without a class unknown", old: local + lossless("far", 4, 34), new: local,
			edit: unread("h3", "h4"), want: "h3:ens1f0 (old) to leaf2:swp1 (new): h3 was not read, and the lossless priorities towards it change",
		},
		{
			name: "a class of one rack removed, hosts of other racks unknown", old: local,
			new:  strings.Replace(lossy, "host.h", `"h[1-2]"`, 1),
			edit: unread("h3", "h4"), want: "switches; new: leaf2 spine1 spine2\nhosts; new: h1 h2\nremovals; new: leaf1",
		},
		{
			name: "PFC added, nothing known of a spine", new: one,
			edit: func(name string, h *change.Held) {
				if name == "spine2" {
					*h = change.Held{}
				}
			},
			want: "leaf1:swp32 (new) to spine2:swp1 (old): it is unknown whether both ends pause DSCP 26 in the same cos",
		},
		{
			name: "a spine unknown, and its neighbours do not change", old: one, new: one,
			edit: func(name string, h *change.Held) {
				switch name {
				case "spine2":
					*h = change.Held{}
				case "h1":
					h.Old = factory()
				}
			},
			want: "at-once; new: h1",
		},
		{
			name: "leaf replaced", old: one, new: one,
			edit: func(name string, h *change.Held) {
				if name == "leaf2" {
					h.Old = factory()
				}
			},
			want: "at-once; new: leaf2",
		},
		{
			name: "leaf replaced, with its hosts", old: one, new: one,
			edit: func(name string, h *change.Held) {
				if name == "leaf2" || name == "h3" || name == "h4" {
					h.Old = factory()
				}
			},
			want: "switches; new: leaf2\nhosts; new: h3 h4",
		},
		{
			name: "hosts set by hand before", new: one,
			edit: func(name string, h *change.Held) {
				if strings.HasPrefix(name, "h") {
					h.Old = h.New
				}
			},
			want: "at-once; new: " + switches,
		},
		{
			name: "values that no device marks lose their class", new: one,
			edit: func(_ string, h *change.Held) {
				h.Old = edited(h.New, func(p *ir.PortSettings) {
					p.Stamps = 0
					for v := range p.DSCP {
						p.DSCP[v] = int8(v >> 3)
					}
				})
			},
			want: "at-once; new: " + all,
		},
		{
			name: "headroom too small on a switch that is away", new: one,
			edit: func(name string, h *change.Held) {
				if name == "leaf1" {
					*h = change.Held{Old: edited(h.New, func(p *ir.PortSettings) { p.Headroom = 1000 }), Away: true}
				}
			},
			want: "h1:ens1f0 (new) to leaf1:swp1 (old): the headroom of leaf1 is too small for DSCP 26",
		},
		{
			name: "link pause becomes PFC", old: "pause" + one, new: one,
			want: "h1:ens1f0 (new) to leaf1:swp1 (old): one end uses PFC and the other uses link pause",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := cosFabric(t, 2, c.new)
			var old map[string]*ir.Settings
			if c.old != "" {
				classes, pause := strings.CutPrefix(c.old, "pause")
				more := map[bool]string{true: `flow_control = "pause"`}[pause]
				old = written(t, cosFabric(t, 2, classes, more))
			}
			phases, gaps := change.NewMixtures(f).Phases(holds(t, f, old, c.edit))
			got := drawPhases(phases, gaps)
			if c.want == "" {
				assert.Empty(t, got)
			}
			assert.True(t, strings.HasPrefix(got, c.want), got)
		})
	}
}

// TestPodAdded: new leaves and hosts join a fabric that is in use, and its spines get settings for them.
func TestPodAdded(t *testing.T) {
	old := written(t, cosFabric(t, 2, lossless("rdma", 3, 26)))
	f := cosFabric(t, 3, lossless("rdma", 3, 26))
	for _, d := range f.Devices {
		if old[d.Name] == nil {
			old[d.Name] = factory()
		}
	}
	phases, gaps := change.NewMixtures(f).Phases(holds(t, f, old, nil))
	assert.Equal(t, "switches; new: leaf3 spine1 spine2\nhosts; new: h5 h6", drawPhases(phases, gaps))
}

// TestOnOneSwitch: packets between hosts of one switch do not go round a ring, whichever turns the routing allows.
func TestOnOneSwitch(t *testing.T) {
	c := irtest.Ring(ir.ShortestPath, 4).Hosts("R0")
	f := c.Fabric()
	in := f.Intents[0]
	on := func(p *ir.Port) bool { return p.NIC != nil && p.Peer().Device().Name == "R0" }
	in.Members = slices.DeleteFunc(in.Members, func(m *ir.Member) bool { return !on(m.NIC.Port) })
	require.Len(t, in.Members, 2)
	for _, p := range f.Ports {
		switch {
		case on(p):
			p.NIC.TOS = -1
		case p.NIC != nil:
			p.NIC.Intents = nil
		}
		if !on(p) && !on(p.Peer()) {
			p.SetBuffers(nil)
		}
	}
	f.Routes = routes.New(f)
	held := make([]change.Held, len(f.Devices))
	for i, d := range f.Devices {
		held[i] = change.Held{Old: factory(), New: d.Wanted()}
	}
	phases, gaps := change.NewMixtures(f).Phases(held)
	assert.Empty(t, drawPhases(nil, gaps))
	assert.NotEmpty(t, phases)
}
