package nodeset

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func (n Name) String() string {
	switch {
	case n.Interface == "":
		return n.Device
	case n.Device == "":
		return n.Interface
	}
	return n.Device + ":" + n.Interface
}

func TestExpand(t *testing.T) {
	for _, tc := range []struct {
		kind Kind
		in   string
		want string
	}{
		{Devices, "leaf[01-04]", "leaf01 leaf02 leaf03 leaf04"},
		{Devices, "leaf01-04", "leaf01 leaf02 leaf03 leaf04"},
		{Devices, "leaf[1-3,7]", "leaf1 leaf2 leaf3 leaf7"},
		{Devices, "leaf[ 1-3 , 7 ]", "leaf1 leaf2 leaf3 leaf7"},
		{Devices, "rack[1-2]-gpu[1-2]", "rack1-gpu1 rack1-gpu2 rack2-gpu1 rack2-gpu2"},
		{Devices, "sw[2-4,1]", "sw2 sw3 sw4 sw1"},
		{Devices, "edge1", "edge1"},
		{Devices, "rack1-n3", "rack1-n3"},
		{Devices, "rack1-n[1-3]", "rack1-n1 rack1-n2 rack1-n3"},
		{Devices, "rack1-2-n[1-2]", "rack1-2-n1 rack1-2-n2"},
		{Devices, "rack1-[2]", "rack1-2"},
		{Devices, "leaf1-leaf3", "leaf1 leaf2 leaf3"},
		{Devices, "leaf[098-101]", "leaf098 leaf099 leaf100 leaf101"},
		{Devices, "leaf[9-11]", "leaf9 leaf10 leaf11"},
		{Devices, "leaf[0-1]", "leaf0 leaf1"},
		{Devices, "[1-2]a, b", "1a 2a b"},
		{Devices, "h1.example.net", "h1.example.net"},
		{Interfaces, "swp1-4,swp6", "swp1 swp2 swp3 swp4 swp6"},
		{Interfaces, "swp[1-4],swp6", "swp1 swp2 swp3 swp4 swp6"},
		{Interfaces, "swp1-swp4", "swp1 swp2 swp3 swp4"},
		{Interfaces, "swp49s0-3", "swp49s0 swp49s1 swp49s2 swp49s3"},
		{Interfaces, "swp49s0-swp49s1", "swp49s0 swp49s1"},
		{Interfaces, "swp1-2s0-1", "swp1s0 swp1s1 swp2s0 swp2s1"},
		{Interfaces, "ens1f[0-1]np0", "ens1f0np0 ens1f1np0"},
		{Interfaces, "eth0.100", "eth0.100"},
		{Interfaces, "br-lan", "br-lan"},
		{Endpoints, "leaf[01-02]:swp[49-50]", "leaf01:swp49 leaf01:swp50 leaf02:swp49 leaf02:swp50"},
		{Endpoints, "a[1-2]:swp[1-2]", "a1:swp1 a1:swp2 a2:swp1 a2:swp2"},
		{Endpoints, "tor1:swp1-4,swp6", "tor1:swp1 tor1:swp2 tor1:swp3 tor1:swp4 tor1:swp6"},
		{Endpoints, "t[1-2]:swp1,swp3", "t1:swp1 t1:swp3 t2:swp1 t2:swp3"},
		{Endpoints, "a1:swp1, b1:swp2", "a1:swp1 b1:swp2"},
		{Members, "store[1-2]", "store1 store2"},
		{Devices, "leaf-{a,b}[1-2]", "leaf-a1 leaf-a2 leaf-b1 leaf-b2"},
		{Devices, "leaf-{a,b}", "leaf-a leaf-b"},
		{Devices, "leaf-{ a , b }1-2,spine", "leaf-a1 leaf-a2 leaf-b1 leaf-b2 spine"},
		{Devices, "{leaf,spine}[1-2]{a,b}", "leaf1a leaf1b leaf2a leaf2b spine1a spine1b spine2a spine2b"},
		{Devices, "{b,a}", "b a"},
		{Devices, "{a}", "a"},
		{Devices, "row{1,10}", "row1 row10"},
		{Devices, "h{1.a,2}.net", "h1.a.net h2.net"},
		{Interfaces, "{eth,ens}0,swp1", "eth0 ens0 swp1"},
		{Endpoints, "{a,b}1:{eth,ib}[0-1],swp3", "a1:eth0 a1:eth1 a1:ib0 a1:ib1 a1:swp3 b1:eth0 b1:eth1 b1:ib0 b1:ib1 b1:swp3"},
		{Members, "{a,b},c:{x,y}", "a b c:x c:y"},
		{Members, "new1:ens1f0", "new1:ens1f0"},
		{Members, "a,b:eth0,eth1", "a b:eth0 b:eth1"},
	} {
		set, bad := Parse(tc.in, tc.kind)
		require.Empty(t, bad, tc.in)
		var got []string
		for n := range set.All() {
			got = append(got, n.String())
			require.LessOrEqual(t, n.To, len(tc.in))
			require.Less(t, n.From, n.To)
		}
		require.Equal(t, tc.want, strings.Join(got, " "), tc.in)
	}
}

// In these strings the wrong bytes are in angle brackets.
func TestMistakes(t *testing.T) {
	for _, tc := range []struct {
		kind Kind
		in   string
		want string // a part of the message
		name bool
	}{
		{Devices, "leaf<[1->", "never closed", false},
		{Devices, "leaf<]>", "closes nothing", false},
		{Devices, "leaf[1-<]>", "missing", false},
		{Devices, "leaf[<]>", "missing", false},
		{Devices, "leaf[<a-b>]", "there are no ranges of letters. Write the words between braces: {a,b}.", false},
		{Devices, "leaf-[1,<a-d>]", "{a,b,c,d}", false},
		{Devices, "leaf[<d>-a]", "not a number", false},
		{Devices, "leaf[<ab>-c]", "not a number", false},
		{Devices, "leaf[<4-1>]", "backwards", false},
		{Devices, "leaf<4-1>", "write 4-[1]", false},
		{Devices, "rack-<1-2>", "could be", false},
		{Devices, "leaf[<1-04>]", "different widths", false},
		{Devices, "leaf[<001-16>]", "different widths", false},
		{Devices, "leaf[<1..4>]", "Write [1-4].", false},
		{Devices, "leaf[<1:4>]", "Write [1-4].", false},
		{Devices, "leaf{<1..4>}", "Write ranges as [1-4].", false},
		{Devices, "leaf{<1-4>}", "Write ranges as [1-4].", false},
		{Devices, "leaf<{a>", "never closed", false},
		{Devices, "x,leaf<{a[1-2]>", "never closed", false},
		{Devices, "leaf{a,{b,c}<}>", "closes nothing", false},
		{Devices, "leaf<}>", "closes nothing", false},
		{Devices, "leaf{a<,>}", "", false},
		{Devices, "leaf{a,<}>", "A word is missing", false},
		{Devices, "leaf{<}>", "A word is missing", false},
		{Devices, "leaf{<,>a}", "A word is missing", false},
		{Devices, "<leaf{a,B}>", "lower case", true},
		{Devices, "<{-a,b}>", "not a device name", true},
		{Devices, "<{a,b:c}>", "not a device name", true},
		{Devices, "<a.{.b,c}>", "contains \"..\"", true},
		{Devices, "<{a,b.}{.c,d}>", "contains \"..\"", true},
		{Devices, "<a{b..c,d}>", "contains \"..\"", true},
		{Devices, "<{" + strings.Repeat("a", 64) + ",b}>", "64 characters", true},
		{Devices, "<" + strings.Repeat("{a,b}", 17) + ">", "ranges and lists", false},
		{Devices, "<a b>", "comma between", true},
		{Endpoints, "<leaf1 :swp1>", "Delete the space", false},
		{Endpoints, "leaf1:<Eth1/1>", "Linux", true},
		{Devices, "leaf[<1000000000000>-2]", "digits", false},
		{Devices, "leaf1<,>", "between two commas", false},
		{Devices, "", "empty", false},
		{Devices, "leaf1<:swp1>", "Delete the colon", false},
		{Devices, "<../../etc/x>", "not a device name", true},
		{Devices, "<a..b>", "..", true},
		{Devices, "<Leaf1>", "lower case", true},
		{Devices, "<-rf>", "not a device name", true},
		{Devices, "ok1,<né>", "not a device name", true},
		{Devices, "<" + strings.Repeat("a", 64) + ">", "64 characters", true},
		{Interfaces, "<swp[1-2]aaaaaaaaaaaaa>", "17 characters", true},
		{Interfaces, "swp1,<a/b>", "not an interface name", true},
		{Interfaces, "<..>", "not an interface name", true},
		{Endpoints, "<leaf1>", "no interface", false},
		{Endpoints, "leaf1:swp1<:swp2>", "one colon", false},
		{Endpoints, "leaf1<:>", "missing", false},
		{Endpoints, "<:>swp1", "missing", false},
		{Endpoints, "swp1-4,<swp99!>", "", false},
	} {
		in := strings.NewReplacer("<", "", ">", "").Replace(tc.in)
		_, bad := Parse(in, tc.kind)
		require.NotEmpty(t, bad, tc.in)
		last := bad[len(bad)-1]
		require.Contains(t, last.Message, tc.want, tc.in)
		if tc.want == "" || in == "" {
			continue
		}
		require.Equal(t, tc.in, in[:last.From]+"<"+in[last.From:last.To]+">"+in[last.To:], last.Message)
		require.Equal(t, tc.name, last.Name, tc.in)
	}
}

func TestSeveralMistakesAtOnce(t *testing.T) {
	_, bad := Parse("leaf[1-:swp1,Leaf1:swp1,leaf1:a/b", Endpoints)
	require.Len(t, bad, 3)
}

func TestLenBeforeExpanding(t *testing.T) {
	set, bad := Parse("n[0-999999999]", Devices)
	require.Empty(t, bad)
	require.Equal(t, 1_000_000_000, set.Len())

	set, bad = Parse("n[0-999999999][0-999999999][0-999999999]:e[0-999999]", Endpoints)
	require.Empty(t, bad)
	require.Equal(t, math.MaxInt, set.Len())
	for n := range set.All() { // no name was made before
		require.Equal(t, "n000:e0", n.String())
		break
	}

	set, bad = Parse(strings.Repeat("{a,b,c,d}", 16)+":{e,f}", Endpoints)
	require.Empty(t, bad)
	require.Equal(t, 1<<33, set.Len())
}

func FuzzExpand(f *testing.F) {
	for _, s := range []string{
		"leaf[01-04]", "tor1:swp1-4,swp6", "swp1-2s0-1", "rack-1-2", "a[1-2]:swp[1-2", "leaf[1000000000000-2]", "é,", ":", "a1-a3",
		"leaf-{a,b}[1-4]", "{a.,b}{.c,d}", "{a,b:c}:{d,e}1-2", "{a{b}", "x{1..4}", "{[1-2],a}", "[{1}]",
	} {
		for k := Devices; k <= Members; k++ {
			f.Add(s, int(k))
		}
	}
	f.Fuzz(func(t *testing.T, s string, kind int) {
		if kind < int(Devices) || kind > int(Members) {
			return
		}
		set, bad := Parse(s, Kind(kind))
		for _, m := range bad {
			if m.From < 0 || m.From > m.To || m.To > len(s) || m.Message == "" {
				t.Fatalf("%q: mistake %+v", s, m)
			}
		}
		if len(bad) > 0 || set.Len() > 10_000 {
			return
		}
		n := 0
		for name := range set.All() {
			n++
			if name.From < 0 || name.To > len(s) || name.From >= name.To {
				t.Fatalf("%q: place %+v", s, name)
			}
			if name.Device != "" && CheckDevice(name.Device) != "" || name.Interface != "" && CheckInterface(name.Interface) != "" {
				t.Fatalf("%q: bad name %+v", s, name)
			}
		}
		if n != set.Len() || n == 0 {
			t.Fatalf("%q: Len %d, expanded %d", s, set.Len(), n)
		}
	})
}
