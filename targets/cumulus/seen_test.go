package cumulus

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/target"
)

// looked returns a switch with swp1, swp2, swp3 and swp4s0, and an intent in VLAN 100.
func looked(t testing.TB) *ir.Device {
	s := newSample(t, "sn2700", "3.7.12")
	for _, name := range []string{"swp1", "swp2", "swp3", "swp4s0"} {
		s.cable(name, 3)
	}
	s.sw.Switch.Intents = []*ir.Intent{{Name: "a"}, {Name: "b", VLAN: 100}}
	return s.sw
}

// answering returns the answer of a correct switch, with some texts replaced.
func answering(pairs ...string) []byte {
	text := `name leaf1
port swp1 9216 100000 1 44:38:39:00:00:01
port swp2 9216 100000 1 44:38:39:00:00:02
port swp3 9216 100000 1 44:38:39:00:00:03
port swp4s0 9216 25000 1 44:38:39:00:00:04
port swp4s1 1500 -1 0 44:38:39:00:00:05
end port
bond bond1 802.3ad 44:38:39:00:00:99 swp2
sub swp3.100
end bond
conf # comment with = in it 3=100G 4=4x25G 0 
vlan [{"ifname":"swp1","vlans":[{"vlan":1,"flags":["PVID","Egress Untagged"]},{"vlan":99,"vlanEnd":110}]},{"ifname":"bond1","vlans":[{"vlan":100}]}] 0 
mlag {"status":{"peerAlive":true}} 0 
lldp {"lldp":{"interface":{"swp1":{"chassis":{"spine1":{}},"port":{"id":{"type":"ifname","value":"swp7"}}}}}} 0 
`
	for p := range slices.Chunk(pairs, 2) {
		if !strings.Contains(text, p[0]) {
			panic("no " + p[0])
		}
		text = strings.Replace(text, p[0], p[1], 1)
	}
	return []byte(text)
}

// tags returns the ports that carry VLAN 100, and whether it is tagged.
func tags(s *target.Seen) string {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(s.Ports)) {
		if tagged, is := s.Ports[name].VLANs[100]; is {
			out = append(out, fmt.Sprintf("%s %v", name, tagged))
		}
	}
	return strings.Join(out, ", ")
}

func TestLook(t *testing.T) {
	s := Inspect(looked(t)).Parse(answering())
	assert.Empty(t, s.Unread)
	assert.Equal(t, "leaf1", s.Name)
	assert.Empty(t, s.Absent)
	assert.Len(t, s.Ports, 4, "no cable is at swp4s1")
	assert.Equal(t, map[string]bool{"swp4s1": true}, s.Spare)
	assert.Equal(t, "swp1 true, swp2 true, swp3 true", tags(s), "by a range, by the bond, by a subinterface")
	assert.Equal(t, map[string]*target.SeenBond{"bond1": {Mode: "802.3ad", Ports: []string{"swp2"}, Partner: true}}, s.Bonds)
	assert.Equal(t, "bond1", s.Ports["swp2"].Bond)
	assert.True(t, s.MLAG)
	assert.Equal(t, []target.Neighbour{{Device: "spine1", Ports: []string{"swp7"}}}, s.Ports["swp1"].Neighbours)

	keyed := Inspect(looked(t)).Parse(answering(
		`[{"ifname":"swp1","vlans":[{"vlan":1,"flags":["PVID","Egress Untagged"]},{"vlan":99,"vlanEnd":110}]},`+
			`{"ifname":"bond1","vlans":[{"vlan":100}]}]`, `{"swp1":[{"vlan":100,"flags":["Egress Untagged"]}],"bond1":[{"vlan":100}]}`))
	assert.Empty(t, keyed.Unread)
	assert.Equal(t, "swp1 false, swp2 true, swp3 true", tags(keyed), "the form of 3.x")
}

// The ports that a switch has instead of a missing one, with the line that splits it.
func TestLookAbsent(t *testing.T) {
	d := looked(t)
	for _, c := range []struct {
		pairs []string
		want  map[string]string
	}{
		{[]string{"port swp4s0 ", "port lo "}, map[string]string{"swp4s0": "it is split into swp4s1 alone; /etc/cumulus/ports.conf says " +
			"4=4x25G"}},
		{[]string{"port swp4s0 ", "port swp4 ", "port swp4s1 ", "port swp5 "}, map[string]string{
			"swp4s0": "swp4 is not split; /etc/cumulus/ports.conf says 4=4x25G",
		}},
		{[]string{"port swp3 ", "port swp3s0 ", "3=100G", "3=4x\x1b[31m"}, map[string]string{
			"swp3": "swp3 is split into swp3s0; /etc/cumulus/ports.conf says 3=4x\x1b[31m",
		}},
		{[]string{"port swp3 ", "port lo ", "3=100G", "nothing"}, map[string]string{"swp3": "nor any part of that port"}},
		{[]string{"end port\n", ""}, nil},
	} {
		assert.Equal(t, c.want, Inspect(d).Parse(answering(c.pairs...)).Absent)
	}
}

// A part without an answer is reported as unread; the other parts are read.
func TestLookUnread(t *testing.T) {
	d := looked(t)
	paired := looked(t)
	paired.Switch.MLAG = "rack1"
	for _, c := range []struct {
		name  string
		d     *ir.Device
		pairs []string
		want  map[target.Part]string
	}{
		{
			"no agent", d,
			[]string{`{"lldp":{"interface":{"swp1":{"chassis":{"spine1":{}},"port":{"id":{"type":"ifname","value":"swp7"}}}}}} 0`, " 127"},
			map[target.Part]string{target.PartNeighbours: "lldpctl is not installed"},
		},
		{
			"cut short", d,
			[]string{`"port":{"id":{"type":"ifname","value":"swp7"}}}}}} 0`, `"port": 0 `},
			map[target.Part]string{target.PartNeighbours: "what lldpctl prints is not known"},
		},
		{
			"an old bridge", d,
			[]string{`vlan [{"ifname"`, `vlan [{"ifnam`, `{"vlan":100}]}] 0`, " 255"},
			map[target.Part]string{target.PartVLANs: "bridge fails, with status 255: the bridge of this release may not print JSON"},
		},
		{
			"a bridge that prints text", d,
			[]string{`vlan [{`, `vlan port vlan ids [{`},
			map[target.Part]string{target.PartVLANs: "what bridge prints is not known on this release"},
		},
		{"no bonds", d, []string{"end bond\n", ""}, map[target.Part]string{
			target.PartBonds: "the answer breaks off",
			target.PartVLANs: "the answer breaks off",
		}},
		{"no MLAG at all", d, []string{`{"status":{"peerAlive":true}} 0`, " 127"}, nil},
		{"no MLAG daemon, as in the fabric", d, []string{`{"status":{"peerAlive":true}} 0`, "not running 1"}, nil},
		{
			"no MLAG daemon, but an MLAG pair in the fabric", paired,
			[]string{`{"status":{"peerAlive":true}} 0`, "not running 1"},
			map[target.Part]string{target.PartMLAG: "clagctl fails, with status 1"},
		},
		{
			"clagd prints another form", paired,
			[]string{`{"status":{"peerAlive":true}} 0`, "{} 0"},
			map[target.Part]string{target.PartMLAG: "the output of clagctl has an unknown form"},
		},
		{
			"it hangs", paired,
			[]string{`{"status":{"peerAlive":true}} 0`, " 124"},
			map[target.Part]string{target.PartMLAG: "clagctl does not answer"},
		},
	} {
		assert.Equal(t, c.want, Inspect(c.d).Parse(answering(c.pairs...)).Unread, c.name)
	}
	none := Inspect(paired).Parse(nil)
	for _, p := range target.Parts {
		assert.False(t, none.Read(p), p)
	}
}

func FuzzLook(f *testing.F) {
	f.Add(answering())
	f.Add(answering(`vlan [{`, `vlan {"swp1":[{"vlan":-1,"vlanEnd":4294967296}],"x":[{`))
	f.Add([]byte("bond a\nbond a b\nbond  \nsub .100\nport swp0 1 1 1 1\nport swp1 99999999999999999999 -7 1 x\nend port\nend bond\n"))
	d := looked(f)
	f.Fuzz(func(t *testing.T, answer []byte) {
		s := Inspect(d).Parse(answer)
		require.LessOrEqual(t, len(s.Ports), len(d.Ports))
		require.LessOrEqual(t, len(s.Bonds), 512)
		for name, p := range s.Ports {
			require.True(t, slices.ContainsFunc(d.Ports, func(p *ir.Port) bool { return p.Name == name }))
			require.True(t, p.MTU >= 0 && p.Speed >= 0)
		}
	})
}
