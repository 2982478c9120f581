package sonic

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/platform"
)

// public has the whole ports of each model on its first platform: their number, their lanes, and the first and the last name. Source:
// platform.json, or port_config.ini of the default hwsku if platform.json has no ports, in device/ of sonic-net/sonic-buildimage, August
// 2026.
var public = map[string]string{
	"sn2010":        "18 of 1: Ethernet0-68, 4 of 4: Ethernet72-84",
	"sn2100":        "16 of 4: Ethernet0-60",
	"sn2201":        "48 of 1: Ethernet0-47, 4 of 4: Ethernet48-60",
	"sn2410":        "48 of 1: Ethernet0-188, 8 of 4: Ethernet192-220",
	"sn2700":        "32 of 4: Ethernet0-124",
	"sn2740":        "32 of 4: Ethernet0-124",
	"sn3420":        "48 of 1: Ethernet0-188, 12 of 4: Ethernet192-236",
	"sn3700":        "32 of 4: Ethernet0-124",
	"sn3700c":       "32 of 4: Ethernet0-124",
	"sn3800":        "64 of 4: Ethernet0-252",
	"sn4280":        "32 of 8: Ethernet0-248",
	"sn4410":        "32 of 8: Ethernet0-248",
	"sn4600":        "64 of 4: Ethernet0-252",
	"sn4600c":       "64 of 4: Ethernet0-252",
	"sn4700":        "32 of 8: Ethernet0-248",
	"sn5400":        "64 of 8: Ethernet0-504, 2 of 1: Ethernet512-520",
	"sn5600":        "64 of 8: Ethernet0-504, 1 of 1: Ethernet512-512",
	"sn5610n":       "64 of 8: Ethernet0-504, 2 of 1: Ethernet512-520",
	"sn5640":        "64 of 8: Ethernet0-504, 2 of 1: Ethernet512-520",
	"sn6600":        "64 of 8: Ethernet0-504, 1 of 2: Ethernet512-512",
	"s5212f":        "12 of 1: Ethernet0-11, 3 of 4: Ethernet12-20",
	"s5224f":        "24 of 1: Ethernet0-23, 4 of 4: Ethernet24-36",
	"s5232f":        "32 of 4: Ethernet0-124, 2 of 1: Ethernet128-129",
	"s5248f":        "48 of 1: Ethernet0-47, 8 of 4: Ethernet48-76",
	"s5296f":        "96 of 1: Ethernet0-95, 8 of 4: Ethernet96-103",
	"s6000":         "32 of 4: Ethernet0-124",
	"s6100":         "64 of 2: Ethernet0-63, 2 of 1: Ethernet64-65",
	"z9100":         "32 of 4: Ethernet0-124",
	"z9264f":        "64 of 4: Ethernet0-252, 2 of 1: Ethernet256-257",
	"z9332f":        "32 of 8: Ethernet0-248, 2 of 1: Ethernet256-257",
	"z9664f":        "64 of 4: Ethernet0-252, 2 of 1: Ethernet256-257",
	"z9864f":        "64 of 8: Ethernet0-504, 2 of 1: Ethernet512-513",
	"as5712-54x":    "72 of 1: Ethernet0-71",
	"as5812-54x":    "72 of 1: Ethernet0-71",
	"as5835-54x":    "48 of 1: Ethernet0-47, 6 of 4: Ethernet48-68",
	"as6712-32x":    "32 of 4: Ethernet0-124",
	"as7312-54x":    "48 of 1: Ethernet0-47, 6 of 4: Ethernet48-68",
	"as7326-56x":    "48 of 1: Ethernet0-47, 8 of 4: Ethernet48-76",
	"as7712-32x":    "32 of 4: Ethernet0-124",
	"as7716-32x":    "32 of 4: Ethernet0-124",
	"as7726-32x":    "32 of 4: Ethernet0-124",
	"as7816-64x":    "64 of 4: Ethernet0-252",
	"as9716-32d":    "32 of 8: Ethernet0-248",
	"7050qx-32":     "32 of 4: Ethernet0-124",
	"7050qx-32s":    "32 of 4: Ethernet0-124",
	"7050cx3-32s":   "32 of 4: Ethernet0-124, 2 of 1: Ethernet128-132",
	"7050sx3-48c8":  "48 of 1: Ethernet0-47, 8 of 4: Ethernet48-76",
	"7050sx3-48yc8": "48 of 1: Ethernet0-47, 8 of 4: Ethernet48-76",
	"7060cx-32s":    "32 of 4: Ethernet0-124, 2 of 1: Ethernet128-129",
	"7060cx2-32s":   "32 of 4: Ethernet0-124",
	"7060px4-32":    "32 of 8: Ethernet0-248, 2 of 1: Ethernet256-260",
	"7060dx5-32":    "32 of 8: Ethernet0-248, 1 of 1: Ethernet256-256",
	"7060dx5-64s":   "64 of 8: Ethernet0-504, 2 of 1: Ethernet512-513",
	"7060x6-32pe":   "32 of 8: Ethernet0-248, 2 of 1: Ethernet256-257",
	"7060x6-64de":   "64 of 8: Ethernet0-504, 2 of 1: Ethernet512-513",
	"7060x6-64pe":   "64 of 8: Ethernet0-504, 2 of 1: Ethernet512-513",
	"7260cx3-64":    "64 of 4: Ethernet0-252, 2 of 1: Ethernet256-260",
	"wedge100":      "32 of 4: Ethernet0-124",
	"seastone":      "32 of 4: Ethernet0-124",
	"ag5648v1":      "48 of 1: Ethernet0-188, 6 of 4: Ethernet192-212",
	"ag9032v1":      "32 of 4: Ethernet0-124",
	"t7032-ix1":     "32 of 4: Ethernet0-124",
}

// otherLanes lists models whose ports have a different number of lanes in SONiC than in the table of models. SONiC's default hwsku splits
// the QSFP+ ports of the two Edgecore models, and uses two lanes for each port of the S6100.
var otherLanes = map[string]bool{"as5712-54x": true, "as5812-54x": true, "s6100": true}

// group is a run of public names.
type group struct{ count, lanes, first, last int }

func groupsOf(t *testing.T, model string) []group {
	var out []group
	for text := range strings.SplitSeq(public[model], ", ") {
		var g group
		_, err := fmt.Sscanf(text, "%d of %d: Ethernet%d-%d", &g.count, &g.lanes, &g.first, &g.last)
		require.NoError(t, err, text)
		out = append(out, g)
	}
	return out
}

func find(t require.TestingT, name string) *platform.Switch {
	m, ok := platform.FindSwitch(name)
	require.True(t, ok, name)
	return m
}

// Every port of every model has the name and the number of lanes of SONiC's files.
func TestNamesAreThePublicOnes(t *testing.T) {
	for name := range models() {
		m := find(t, name)
		names := map[string]int{} // with their lanes
		for _, g := range groupsOf(t, name) {
			step := max(1, (g.last-g.first)/max(g.count-1, 1))
			require.Equal(t, g.last, g.first+(g.count-1)*step, name)
			for i := range g.count {
				names[fmt.Sprintf("Ethernet%d", g.first+i*step)] = g.lanes
			}
		}
		for _, r := range m.Ports {
			for n := r.First; n <= r.Last; n++ {
				port := OS.Spell(m, ir.Front{Number: int16(n), Sub: -1})
				require.Contains(t, names, port, "%s port %d", name, n)
				if !otherLanes[name] {
					require.Equal(t, names[port], r.Lanes, "%s %s", name, port)
				}
			}
		}
		first, last := m.Ports[0].First, m.Ports[len(m.Ports)-1].Last
		assert.Equal(t, fmt.Sprintf("Ethernet%d", groupsOf(t, name)[0].first), OS.Spell(m, ir.Front{Number: int16(first), Sub: -1}), name)
		assert.Len(t, OS.Ports(m), len(uniq(OS.Ports(m))), "%s: no name twice up to port %d", name, last)
	}
	for _, m := range platform.Switches {
		_, ok := models()[m.Name]
		assert.Equal(t, ok, public[m.Name] != "", m.Name)
	}
}

func uniq(names []string) map[string]bool {
	out := map[string]bool{}
	for _, n := range names {
		out[n] = true
	}
	return out
}

func TestFrontPanelNames(t *testing.T) {
	for _, c := range []struct {
		model, name string
		want        ir.Front
	}{
		{"sn2700", "Ethernet0", ir.Front{Number: 1, Sub: -1}},
		{"sn2700", "Ethernet124", ir.Front{Number: 32, Sub: -1}},
		{"sn2700", "Ethernet126", ir.Front{Number: 32, Sub: 2}},
		{"sn2700", "Ethernet128", ir.Front{Number: 33, Sub: -1}}, // the model has none
		{"sn2410", "Ethernet188", ir.Front{Number: 48, Sub: -1}},
		{"sn2410", "Ethernet192", ir.Front{Number: 49, Sub: -1}},
		{"sn2201", "Ethernet47", ir.Front{Number: 48, Sub: -1}},
		{"sn2201", "Ethernet49", ir.Front{Number: 49, Sub: 1}},
		{"sn4700", "Ethernet252", ir.Front{Number: 32, Sub: 4}},
		{"sn5600", "Ethernet512", ir.Front{Number: 65, Sub: -1}},
		{"sn5640", "Ethernet520", ir.Front{Number: 66, Sub: -1}},
		{"z9864f", "Ethernet513", ir.Front{Number: 66, Sub: -1}},
		{"s6100", "Ethernet1", ir.Front{Number: 2, Sub: -1}},
		{"7050qx-32s", "Ethernet0", ir.Front{Number: 5, Sub: -1}},
		{"7050sx3-48yc8", "Ethernet50", ir.Front{Number: 49, Sub: 2}},

		{"sn2700", "etp1", ir.Front{Number: 1, Sub: -1}},
		{"sn2700", "etp32b", ir.Front{Number: 32, Sub: 1}},
		{"sn5600", "etp64h", ir.Front{Number: 64, Sub: 7}},
		{"7060cx-32s", "Ethernet1/1", ir.Front{Number: 1, Sub: -1}},
		{"7060cx-32s", "Ethernet32/3", ir.Front{Number: 32, Sub: 2}},
		{"7050qx-32s", "Ethernet5/1", ir.Front{Number: 5, Sub: -1}},
	} {
		f, ok := OS.Read(find(t, c.model), c.name)
		assert.True(t, ok, c)
		assert.Equal(t, c.want, f, c)
	}
	for _, c := range []struct{ model, name string }{
		{"sn2700", ""},
		{"sn2700", "Ethernet"},
		{"sn2700", "Ethernet00"},
		{"sn2700", "Ethernet04"},
		{"sn2700", "ethernet0"},
		{"sn2700", "Ethernet-1"},
		{"sn2700", "Ethernet10000"},
		{"sn2700", "Ethernet99999999999999999999"},
		{"sn2700", "swp1"},
		{"sn2700", "etp0"},
		{"sn2700", "etp"},
		{"sn2700", "etpa"},
		{"sn2700", "etp1i"},
		{"sn2700", "etp1ab"},
		{"sn2700", "Ethernet1/1"},
		{"sn2700", "Ethernet+4"},
		{"sn2700", "Ethernet 4"},
		{"7060cx-32s", "etp1"},
		{"7060cx-32s", "Ethernet1/0"},
		{"7060cx-32s", "Ethernet0/1"},
		{"7060cx-32s", "Ethernet1/1/1"},
		{"7060cx-32s", "Ethernet1/"},
		{"as7726-32x", "etp1"},
	} {
		_, ok := OS.Read(find(t, c.model), c.name)
		assert.False(t, ok, c)
	}
	assert.Equal(t, "Ethernet0-188 in steps of 4 (25G), Ethernet192-220 in steps of 4 (100G, splits into 4)", OS.PortsText(find(t, "sn2410")))
	assert.Equal(t, "Ethernet0-63 (40G)", OS.PortsText(find(t, "s6100")), "the names have no room for parts")
	assert.Equal(t, []int{192, 193, 194, 195}, Lanes(find(t, "sn2410"), 49))
	assert.Nil(t, Lanes(find(t, "sn2410"), 57))

	own := &platform.Switch{Name: "sn2410", Ports: []platform.PortRange{
		{First: 1, Last: 2, Speed: 25_000, Lanes: 1}, {First: 3, Last: 4, Speed: 400_000, Lanes: 8},
	}}
	for name, want := range map[string]ir.Front{
		"Ethernet1": {Number: 2, Sub: -1}, "Ethernet2": {Number: 3, Sub: -1}, "Ethernet14": {Number: 4, Sub: 4}, "etp4": {Number: 4, Sub: -1},
	} {
		f, ok := OS.Read(own, name)
		assert.True(t, ok, name)
		assert.Equal(t, want, f, "a model that the fabric declares has names by lanes, whatever its name is")
	}
	f, ok := OS.Read(nil, "Ethernet8")
	assert.True(t, ok)
	assert.Equal(t, "Ethernet8", OS.Spell(nil, f))
}

// On every model the name of a port and of each part reads back, and no two names are equal except those of a port and its first
// part.
func TestNamesReadBack(t *testing.T) {
	all := append([]*platform.Switch{
		{Name: "own", Ports: []platform.PortRange{
			{First: 1, Last: 40, Speed: 100_000, Lanes: 4}, {First: 41, Last: 44, Speed: 800_000, Lanes: 8},
		}},
	}, platform.Switches...)
	for _, m := range all {
		seen := map[string]ir.Front{}
		for _, r := range m.Ports {
			for n := r.First; n <= r.Last; n++ {
				for sub := -1; sub < r.Lanes; sub++ {
					want := ir.Front{Number: int16(n), Sub: int16(sub)}
					if row := models()[m.Name]; sub > 0 && row.platforms != "" && sub >= row.names[len(row.names)-1].step {
						continue // S6100 and S5296F have no names for parts
					}
					name := OS.Spell(m, want)
					if want.Sub == 0 {
						want.Sub = -1
					}
					got, ok := OS.Read(m, name)
					require.True(t, ok, "%s %s", m.Name, name)
					require.Equal(t, want, got, "%s %s", m.Name, name)
					if was, ok := seen[name]; ok {
						require.Equal(t, was, want, "%s %s", m.Name, name)
					}
					seen[name] = want
					if lanes := Lanes(m, n); sub >= 0 {
						require.Equal(t, fmt.Sprintf("Ethernet%d", lanes[sub]), name, m.Name)
					}
				}
			}
		}
	}
}

// resolved returns the names of the ports, for the names that cables use. A name may be followed by a blank and a speed.
func resolved(m *platform.Switch, names ...string) []string {
	var used []ir.Used
	for _, n := range names {
		name, speed, _ := strings.Cut(n, " ")
		u := ir.Used{Name: name}
		u.Front, _ = OS.Read(m, name)
		fmt.Sscanf(speed, "%dG", &u.Speed) //nolint:errcheck // none is stated
		u.Speed *= 1000
		used = append(used, u)
	}
	var out []string
	for _, f := range OS.Resolve(m, used) {
		text := OS.Spell(m, f)
		if f.Sub >= 0 {
			text += fmt.Sprintf(" part %d", f.Sub)
		}
		out = append(out, text)
	}
	return out
}

// A name means the port, or its first part if another part is used. Letters count parts, and the port has as many parts as needed.
func TestNamesAreResolvedTogether(t *testing.T) {
	for _, c := range []struct {
		model string
		names []string
		want  []string
	}{
		{"sn2700", []string{"Ethernet0", "Ethernet4"}, []string{"Ethernet0", "Ethernet4"}},
		{"sn2700", []string{"Ethernet0", "Ethernet2", "Ethernet4"}, []string{"Ethernet0 part 0", "Ethernet2 part 2", "Ethernet4"}},
		{"sn2700", []string{"Ethernet2"}, []string{"Ethernet2 part 2"}},
		{"sn2700", []string{"Ethernet3", "Ethernet0"}, []string{"Ethernet3 part 3", "Ethernet0 part 0"}},
		{"sn2700", []string{"etp2"}, []string{"Ethernet4"}},
		{"sn2700", []string{"etp2a"}, []string{"Ethernet4 part 0"}},
		{"sn2700", []string{"etp2a", "etp2b"}, []string{"Ethernet4 part 0", "Ethernet6 part 2"}},
		{"sn2700", []string{"etp2a", "etp2d"}, []string{"Ethernet4 part 0", "Ethernet7 part 3"}},
		{"sn2700", []string{"etp2a 25G", "etp2b 25G"}, []string{"Ethernet4 part 0", "Ethernet5 part 1"}},
		{"sn2700", []string{"etp2b 10G"}, []string{"Ethernet6 part 2"}}, // no number of parts results in 10G each
		{"sn2700", []string{"etp2", "etp2b"}, []string{"Ethernet4", "Ethernet6 part 2"}},
		{"sn2700", []string{"Ethernet4", "etp2b"}, []string{"Ethernet4 part 0", "Ethernet6 part 2"}},
		{"sn4700", []string{"etp1b 200G"}, []string{"Ethernet4 part 4"}},
		{"sn4700", []string{"etp1b 100G"}, []string{"Ethernet2 part 2"}},
		{"sn4700", []string{"etp1c"}, []string{"Ethernet4 part 4"}},
		{"sn5640", []string{"etp64a", "etp64h"}, []string{"Ethernet504 part 0", "Ethernet511 part 7"}},
		{"7060cx-32s", []string{"Ethernet1/1", "Ethernet1/3"}, []string{"Ethernet0 part 0", "Ethernet2 part 2"}},
		{"7060cx-32s", []string{"Ethernet1/1"}, []string{"Ethernet0"}},
		{"7050qx-32s", []string{"Ethernet6/1"}, []string{"Ethernet4"}},
		{"sn2700", []string{"Ethernet128", "etp40b"}, []string{"Ethernet128", "Ethernet157 part 1"}}, // the port has no such part
		{"sn2700", nil, nil},
	} {
		assert.Equal(t, c.want, resolved(find(t, c.model), c.names...), c)
	}
}

// The order of the names that cables use does not matter, and resolved names resolve to themselves.
func TestResolvedNamesStay(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := find(t, rapid.SampledFrom(modelNames()).Draw(t, "model"))
		name := rapid.Custom(func(t *rapid.T) string {
			r := rapid.SampledFrom(m.Ports).Draw(t, "range")
			n := rapid.IntRange(r.First, min(r.First+2, r.Last)).Draw(t, "port")
			part := rapid.IntRange(0, r.Lanes-1).Draw(t, "part")
			if rapid.Bool().Draw(t, "alias") {
				text := fmt.Sprintf("etp%d%c", n, 'a'+rune(part))
				if _, ok := OS.Read(m, text); ok && r.Lanes > 1 {
					return text + rapid.SampledFrom([]string{"", " 25G", " 100G", " 200G"}).Draw(t, "speed")
				}
			}
			name := OS.Spell(m, ir.Front{Number: int16(n), Sub: int16(part)})
			if f, _ := OS.Read(m, name); int(f.Number) != n {
				return OS.Spell(m, ir.Front{Number: int16(n), Sub: -1}) // no names for parts
			}
			return name
		})
		names := rapid.SliceOfNDistinct(name, 1, 6, func(s string) string { return s }).Draw(t, "names")
		once := resolved(m, names...)
		turned := append(names[1:len(names):len(names)], names[0])
		require.Equal(t, append(once[1:len(once):len(once)], once[0]), resolved(m, turned...))
		var plain []string
		for _, o := range once {
			n, _, _ := strings.Cut(o, " ")
			plain = append(plain, n)
			require.NotEmpty(t, n)
		}
		again := resolved(m, plain...)
		for i, o := range once {
			a, _, _ := strings.Cut(again[i], " ")
			o, _, _ = strings.Cut(o, " ")
			require.Equal(t, o, a)
		}
	})
}

func FuzzRead(f *testing.F) {
	for _, s := range []string{"Ethernet0", "etp1b", "Ethernet1/3", "Ethernet9999", "etp9999h", "Ethernet"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, name string) {
		for _, model := range []string{"sn2700", "sn5600", "7060cx-32s", "s6100", ""} {
			var m *platform.Switch
			if model != "" {
				m = find(t, model)
			}
			front, ok := OS.Read(m, name)
			if !ok {
				continue
			}
			require.True(t, front.Known())
			if m != nil {
				for _, f := range OS.Resolve(m, []ir.Used{{Name: name, Front: front}}) {
					require.Equal(t, front.Number, f.Number)
				}
			}
		}
	})
}
