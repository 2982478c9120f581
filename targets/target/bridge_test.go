package target

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/compiler/ir"
)

// seenOf reads an answer with the ports swp1 and swp2, as a switch's own Look does.
func seenOf(answer []byte, vlans ...int) *Seen {
	lines, s := ReadLines(answer), &Seen{}
	lines.ReadPorts(s, func(name string) bool { return strings.HasPrefix(name, "swp") })
	lines.ReadBonds(s)
	var intents []*ir.Intent
	for _, v := range vlans {
		intents = append(intents, &ir.Intent{VLAN: v})
	}
	lines.ReadVLANs(s, intents)
	return s
}

const twoPorts = "port swp1 9216 100000 1 -\nport swp2 9216 100000 1 -\nend port\nbond bond1 802.3ad 52:54:00:00:01:01 swp2\nend bond\n"

func TestBridgeVLANs(t *testing.T) {
	many := `[{"ifname":"swp1","vlans":[` + strings.Repeat(`{"vlan":100},`, mostVLANs) + `{"vlan":100}]}]`
	for _, c := range []struct {
		name, json string
		swp1, swp2 map[int]bool
		why        string
	}{
		{"no bridge", "", map[int]bool{}, map[int]bool{}, ""},
		{"a list", `[{"ifname":"swp1","vlans":[{"vlan":100}]}]`, map[int]bool{100: true}, map[int]bool{}, ""},
		{"an object", `{"swp1":[{"vlan":100}]}`, map[int]bool{100: true}, map[int]bool{}, ""},
		{"a range by a bond", `[{"ifname":"bond1","vlans":[{"vlan":90,"vlanEnd":200}]}]`, map[int]bool{}, map[int]bool{100: true, 200: true}, ""},
		{"a range that runs backwards", `[{"ifname":"swp1","vlans":[{"vlan":200,"vlanEnd":100}]}]`, map[int]bool{200: true}, map[int]bool{}, ""},
		{"no tag", `[{"ifname":"swp1","vlans":[{"vlan":100,"flags":["Egress Untagged"]}]}]`, map[int]bool{100: false}, map[int]bool{}, ""},
		{
			"one entry with a tag counts", `[{"ifname":"swp1","vlans":[{"vlan":100},{"vlan":100,"flags":["Egress Untagged"]}]}]`,
			map[int]bool{100: true},
			map[int]bool{},
			"",
		},
		{
			"numbers beyond 802.1Q", `[{"ifname":"swp1","vlans":[{"vlan":-9223372036854775808,"vlanEnd":9223372036854775807}]}]`,
			map[int]bool{100: true, 200: true},
			map[int]bool{},
			"",
		},
		{"an entry without a name", `[{"ifname":"","vlans":[{"vlan":100}]}]`, map[int]bool{}, map[int]bool{}, ""},
		{"another word", `7`, map[int]bool{}, map[int]bool{}, "what bridge prints is not known on this release"},
		{"more than a bridge has", many, map[int]bool{}, map[int]bool{}, "bridge prints more than 4094 VLANs of one port"},
	} {
		s := seenOf([]byte(twoPorts+"vlan "+c.json+" 0\n"), 100, 200)
		require.Equal(t, c.why, s.Unread[PartVLANs], c.name)
		if c.why == "" {
			assert.Equal(t, c.swp1, s.Ports["swp1"].VLANs, c.name)
			assert.Equal(t, c.swp2, s.Ports["swp2"].VLANs, c.name)
		}
	}
}

// TestPartTooLong: endless output is cut, even if the script of the device does not cut it.
func TestPartTooLong(t *testing.T) {
	s := seenOf([]byte(twoPorts+"vlan ["+strings.Repeat(" ", mostOfPart)+"] 0\n"), 100)
	assert.Equal(t, "the answer of bridge breaks off, or is longer than 512 KiB: the bridge of this release may not print JSON",
		s.Unread[PartVLANs])
}

// FuzzBridge checks three laws for any answer about bonds and VLANs. Only VLANs of the fabric are returned. Each is tagged as its entries
// define it by the manual. A part that is not read has a reason.
func FuzzBridge(f *testing.F) {
	f.Add(`[{"ifname":"swp1","vlans":[{"vlan":1,"flags":["PVID","Egress Untagged"]},{"vlan":100}]}]`, "bond bond1 802.3ad 52:54:00:00:01:01 swp1", 0)
	f.Add(`{"swp1":[{"vlan":90,"vlanEnd":110}]}`, "bond b balance-xor - swp1 swp2", 0)
	f.Add(`{"swp1":[{"vlan":"100"}]}`, "bond b\nsub swp1.100", 0)
	f.Add(`[{"ifname":"swp1"}, null]`, "bond \x00 - - -", 1)
	f.Fuzz(func(t *testing.T, text, more string, status int) {
		text, more = strings.ReplaceAll(text, "\n", " "), strings.ReplaceAll(more, "port", "Port")
		s := seenOf([]byte(twoPorts+more+"\nvlan "+text+fmt.Sprintf(" %d\n", status)), 100, 200)
		for name, why := range s.Unread {
			require.NotEmpty(t, why, name)
		}
		require.LessOrEqual(t, len(s.Bonds), mostBonds)
		if !s.Read(PartVLANs) {
			return
		}
		require.True(t, s.Read(PartBonds) && s.Read(PartPorts))
		for name, p := range s.Ports {
			want := vlansByHand(text, name, p.Bond, ReadLines([]byte(more))["sub"])
			require.Equal(t, want, p.VLANs, name)
		}
	})
}

// vlansByHand reads the VLANs 100 and 200 of a port in a slower, simpler way.
func vlansByHand(text, port, bond string, subs []string) map[int]bool {
	out := map[int]bool{}
	var list []struct {
		Ifname string
		VLANs  []struct {
			VLAN, VLANEnd int
			Flags         []string
		}
	}
	keyed := map[string]json.RawMessage{}
	if json.Unmarshal([]byte(text), &list) != nil && json.Unmarshal([]byte(text), &keyed) == nil {
		list = list[:0]
		for _, name := range slices.Sorted(maps.Keys(keyed)) {
			one := list[:0:0]
			if json.Unmarshal([]byte(`[{"vlans":`+string(keyed[name])+`}]`), &one) == nil {
				one[0].Ifname = name
				list = append(list, one...)
			}
		}
	}
	for _, p := range list {
		if p.Ifname == "" || p.Ifname != port && p.Ifname != bond {
			continue
		}
		for _, v := range p.VLANs {
			for _, n := range []int{100, 200} {
				if v.VLAN == n || v.VLAN < n && n <= v.VLANEnd {
					out[n] = out[n] || !slices.Contains(v.Flags, "Egress Untagged")
				}
			}
		}
	}
	for _, n := range []int{100, 200} {
		tail := fmt.Sprintf(".%d", n)
		if slices.Contains(subs, port+tail) || bond != "" && slices.Contains(subs, bond+tail) {
			out[n] = true
		}
	}
	return out
}
