package nodeset

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestFold(t *testing.T) {
	for _, tc := range []struct {
		kind     Kind
		in, want string
	}{
		{Devices, "", ""},
		{Devices, "leaf01", "leaf01"},
		{Devices, "leaf02 leaf01 leaf04 leaf02", "leaf[01-02,04]"},
		{Devices, "leaf01 leaf03 leaf04 spine1", "leaf[01,03-04] spine1"},
		{Devices, "leaf1 leaf01", "leaf[1,01]"},
		{Devices, "leaf08 leaf09 leaf10 leaf11", "leaf[08-11]"},
		{Devices, "leaf9 leaf10 leaf11", "leaf[9-11]"},
		{Devices, "leaf98 leaf099 leaf100", "leaf[98,099-100]"},
		{Devices, "leaf099 leaf999 leaf1000", "leaf[099,999-1000]"},
		{Devices, "leaf0 leaf1 leaf00 leaf01", "leaf[0-1,00-01]"},
		{Devices, "p1-leaf1 p1-leaf2 p2-leaf1 p2-leaf2", "p[1-2]-leaf[1-2]"},
		{Devices, "p1-leaf1 p2-leaf2", "p1-leaf1 p2-leaf2"},
		{Devices, "p1-leaf1 p1-leaf2 p2-leaf1", "p1-leaf[1-2] p2-leaf1"},
		{Devices, "p1-leaf1 p1-leaf4 p2-leaf1 p2-leaf4 p3-leaf1", "p[1-2]-leaf[1,4] p3-leaf1"},
		{Devices, "a1b1c1 a1b1c2 a1b2c1 a1b2c2 a2b1c1 a2b1c2 a2b2c1 a2b2c2", "a[1-2]b[1-2]c[1-2]"},
		{Devices, "h1.dc1.example.net h2.dc1.example.net", "h[1-2].dc1.example.net"},
		{Devices, "gpu.a gpu1.a gpu2.a", "gpu.a gpu[1-2].a"},
		{Devices, "spine2 spine10 leaf1 leaf2 spine1", "leaf[1-2] spine[1-2,10]"},
		{Devices, "rack-1-2", "rack-1-[2]"},
		{Devices, "rack-1-2 rack-3-4", "rack-1-[2] rack-3-[4]"},
		{Devices, "rack-1-1 rack-1-2 rack-2-1 rack-2-2", "rack-[1-2]-[1-2]"},
		{Devices, "rack-1-1 rack-1-2 rack-2-7", "rack-1-[1-2] rack-2-[7]"},
		{Devices, "rack-1-7 rack-2-7", "rack-[1-2]-7"},
		{Devices, "rack-1-2-n1 rack-1-2-n2", "rack-1-2-n[1-2]"},
		{Devices, "a1-a3", "a1-a[3]"},
		{Devices, "7 8 9", "[7-9]"},
		{Devices, "spine-a spine-b", "spine-a spine-b"},
		{Devices, "12345678901234 a12345678901234 a12345678901235", "12345678901234 a12345678901234 a12345678901235"},
		{Devices, "rack-1-1234567890123", "rack-1-1[234567890123]"},
		{Devices, "1234567890123-1234567890123", "1234567890123-1[234567890123]"},
		{Devices, "a1-a1234567890123", "a1-a1[234567890123]"},
		{Devices, "a999999999998 a999999999999", "a[999999999998-999999999999]"},
		{Devices, "a999999999999 a1000000000000", "a999999999999 a1000000000000"},
		{Devices, "a[1] a[2] a[1]1-2 a,1 é1 é2 a:1 a:2", "a,1 a:1 a:2 a[1] a[1]1-2 a[2] é1 é2"},
		{Interfaces, "eth1 eth2", "eth[1-2]"},
		{Interfaces, "ens1f0 ens1f1 ens2f0", "ens1f[0-1] ens2f0"},
		{Interfaces, "ens1f0np0 ens1f1np1 ens2f0np0 ens2f1np1", "ens[1-2]f0np0 ens[1-2]f1np1"},
		{Interfaces, "swp1s0 swp1s1 swp2s0 swp2s1 swp10 swp9", "swp[1-2]s[0-1] swp[9-10]"},
		{Interfaces, "Ethernet0 Ethernet4 Ethernet8", "Ethernet[0,4,8]"},
		{Interfaces, "eth0.100 eth1.100", "eth[0-1].100"},
		{Interfaces, "eth1-2a", "eth1-[2]a"},
		{Interfaces, "1-2a3-4b", "[1]-[2]a[3]-[4]b"},
		{Endpoints, "a1:swp1 a2:swp1 a1:swp2 a2:swp2 b:swp1", "a[1-2]:swp[1-2] b:swp1"},
		{Endpoints, "rack-1-2:swp1-2", "rack-1-[2]:swp1-[2]"},
		{Endpoints, "rack-1-2:swp1 rack-1-2:swp2", "rack-1-[2]:swp[1-2]"},
		{Members, "store1 store2 new1:ens1f0 new2:ens1f0", "new[1-2]:ens1f0 store[1-2]"},
	} {
		require.Equal(t, tc.want, strings.Join(Fold(strings.Fields(tc.in), tc.kind), " "), tc.in)
	}
}

func TestFew(t *testing.T) {
	var odd []string
	for i := 1; i < 1000; i += 2 {
		odd = append(odd, fmt.Sprintf("gpu%03d", i))
	}
	for _, tc := range []struct {
		names []string
		room  int
		want  string
	}{
		{nil, 40, " +0"},
		{strings.Fields("leaf1 leaf2 spine1"), 40, "leaf[1-2], spine1 +0"},
		{strings.Fields("leaf1 leaf2 spine1"), len("leaf[1-2], spine1"), "leaf[1-2], spine1 +0"},
		{strings.Fields("leaf1 leaf2 spine1"), len("leaf[1-2], spine1") - 1, "leaf[1-2] +1"},
		{strings.Fields("leaf1 leaf2 spine1"), 1, "leaf[1-2] +1"},
		{strings.Fields("a b c d"), 4, "a, b +2"},
		{odd, 20, "gpu[001,003,005,007] +496"},
		{odd, 19, "gpu[001,003,005] +497"},
		{odd, 1, "gpu001 +499"},
		{strings.Fields("rack-1-2 rack-3-4 rack-3-5"), 40, "rack-1-2, rack-3-[4-5] +0"},
		{strings.Fields("a1b1 a1b3 a1b5 a3b1 a3b3 a3b5"), 10, "a[1,3]b1 +4"},
	} {
		sets, more := Few(tc.names, Devices, tc.room)
		require.Equal(t, tc.want, fmt.Sprintf("%s +%d", strings.Join(sets, ", "), more))
	}
}

func TestText(t *testing.T) {
	for _, tc := range []struct {
		names, want string
		room        int
	}{
		{"", "", 40},
		{"leaf1", "leaf1", 40},
		{"rack-1-2", "rack-1-2", 40},
		{"leaf1 leaf2", "leaf[1-2]", 40},
		{"leaf1 leaf2 a", "a and leaf[1-2]", 40},
		{"leaf1 leaf2 a b", "a, b and leaf[1-2]", math.MaxInt},
		{"leaf1 leaf2 a b", "a, b and 2 more", 10},
		{"leaf1 leaf2 a b", "a and 3 more", 1},
	} {
		require.Equal(t, tc.want, Text(strings.Fields(tc.names), Devices, tc.room))
	}
}

// mean returns the names of nodesets, in natural order.
func mean(t require.TestingT, sets []string, kind Kind) []string {
	got := []string{}
	for _, s := range sets {
		set, mistakes := Parse(s, kind)
		require.Empty(t, mistakes, s)
		for n := range set.All() {
			got = append(got, n.String())
		}
	}
	slices.SortFunc(got, Compare)
	return got
}

// checkFold checks the properties of Fold and Few for valid names.
func checkFold(t require.TestingT, names []string, kind Kind, room int) {
	want := append([]string{}, slices.Compact(slices.SortedFunc(slices.Values(names), Compare))...)
	sets := Fold(names, kind)
	require.Equal(t, want, mean(t, sets, kind), "Parse(Fold(x)) = x: %q", sets)
	require.LessOrEqual(t, len(sets), len(want))
	if kind != Members && len(sets) > 0 {
		require.Equal(t, want, mean(t, []string{strings.Join(sets, ",")}, kind), "joined by commas, the nodesets are one nodeset")
	}
	require.Equal(t, sets, Fold(want, kind), "neither order nor repetition matters")

	few, more := Few(names, kind, room)
	var shown []string
	for _, s := range few {
		if slices.Contains(want, s) {
			shown = append(shown, s)
		} else {
			shown = append(shown, mean(t, []string{s}, kind)...)
		}
	}
	require.Len(t, want, len(shown)+more)
	for _, name := range shown {
		require.Contains(t, want, name)
	}
	if more == 0 {
		require.Len(t, few, len(sets))
		require.ElementsMatch(t, want, shown)
	}
	if text := strings.Join(few, ", "); len(text) > room && len(few) > 0 {
		require.Len(t, few, 1)
		require.NotContains(t, text, ",", "no list could be cut further")
	}
}

// valid draws texts that match a pattern and that check accepts; check is CheckDevice or CheckInterface.
func valid(pattern string, check func(string) string) *rapid.Generator[string] {
	return rapid.StringMatching(pattern).Filter(func(s string) bool { return check(s) == "" })
}

// Names of few texts and numbers, so that many can be folded and many look like ranges.
var (
	deviceNames    = valid(`[ab]?(([0-9]{1,3}|10|1234567890123|999999999999)[-._]?[a]?){0,4}`, CheckDevice)
	interfaceNames = rapid.OneOf(
		valid(`[aB_]?(([0-2]{1,2}|10)[-._+@]?[s]?){0,4}`, CheckInterface),
		rapid.SampledFrom(strings.Fields("swp1 swp2 swp10 swp1s0 swp1s1 swp2s0 ens1f0np0 ens1f1np0 ens2f0np0 Ethernet0 Ethernet4 "+
			"eth0.100 bond0 1-2a3-4b")))
	endpointNames = rapid.Custom(func(t *rapid.T) string {
		return deviceNames.Draw(t, "device") + ":" + interfaceNames.Draw(t, "interface")
	})
	kindNames = map[Kind]*rapid.Generator[string]{
		Devices:    deviceNames,
		Interfaces: interfaceNames,
		Endpoints:  endpointNames,
		Members:    rapid.OneOf(deviceNames, endpointNames),
	}
)

func TestFoldMeansTheNames(t *testing.T) {
	for kind := Devices; kind <= Members; kind++ {
		rapid.Check(t, func(t *rapid.T) {
			checkFold(t, rapid.SliceOfN(kindNames[kind], 0, 30).Draw(t, "names"), kind, rapid.IntRange(0, 60).Draw(t, "room"))
		})
	}
}

// All names of a nodeset with brackets fold to one nodeset.
func TestFoldProducts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var b strings.Builder
		for i := range rapid.IntRange(1, 4).Draw(t, "places") {
			fmt.Fprintf(&b, "%s[%s]", rapid.SampledFrom([]string{"a", "b-", "rack.", "_"}).Draw(t, "text"),
				rapid.SampledFrom([]string{"1-3", "01-03", "8-11", "1,5,9", "098-101", "7"}).Draw(t, fmt.Sprint("numbers", i)))
		}
		var names []string
		set, mistakes := Parse("n"+b.String(), Devices)
		require.Empty(t, mistakes)
		for n := range set.All() {
			names = append(names, n.Device)
		}
		require.Len(t, Fold(names, Devices), 1, b.String())
	})
}

// Names can have more numbers than a nodeset may have ranges.
func TestFoldManyPlaces(t *testing.T) {
	var names []string
	for i := range 32 {
		name := strings.Repeat("1a", 30)
		for bit := range 5 { // places at both ends
			at := []int{0, 2, 4, 56, 58}[bit]
			name = name[:at] + fmt.Sprint(1+i>>bit&1) + name[at+1:]
		}
		names = append(names, name)
	}
	checkFold(t, names, Devices, 60)
}

func FuzzFold(f *testing.F) {
	for _, s := range []string{
		"leaf01 leaf02", "rack-1-2 rack-1-3", "a1-a3", "1-2a3-4b", "a1:swp1 a2:swp1", "1234567890123-1234567890123", "a[1] a[2]", "é1 é2",
	} {
		for k := Devices; k <= Members; k++ {
			f.Add(s, int(k), 20)
		}
	}
	f.Fuzz(func(t *testing.T, s string, k, room int) {
		kind := Kind(k)
		if kind < Devices || kind > Members || len(s) > 10_000 {
			return
		}
		var names []string
		for name := range strings.FieldsSeq(s) {
			device, port, both := strings.Cut(name, ":")
			switch {
			case both && (kind == Endpoints || kind == Members) && CheckDevice(device) == "" && CheckInterface(port) == "",
				!both && (kind == Devices || kind == Members) && CheckDevice(name) == "",
				!both && kind == Interfaces && CheckInterface(name) == "":
				names = append(names, name)
			}
		}
		checkFold(t, names, kind, room)
		Fold(strings.Fields(s), kind) // strings that are not names are kept
		Few(strings.Fields(s), kind, room)
	})
}

// large returns lists of n names: names of large fabrics, names that cannot be folded, and names with many numbers.
func large(n int) map[string][]string {
	out := map[string][]string{}
	letters := strings.NewReplacer("0", "a", "1", "b", "2", "c", "3", "d", "4", "e", "5", "f", "6", "g", "7", "h", "8", "i", "9", "j")
	for i := range n {
		out["plain"] = append(out["plain"], fmt.Sprintf("gpu%06d", i))
		out["product"] = append(out["product"], fmt.Sprintf("p%d-r%d-gpu%02d", i/1000, i/10%100, i%10))
		out["odd"] = append(out["odd"], fmt.Sprintf("gpu%d", 2*i+1))
		out["texts"] = append(out["texts"], "n-"+letters.Replace(fmt.Sprint(i)))
		out["diagonal"] = append(out["diagonal"], fmt.Sprintf("a%d-b%d-c%d", i, i, i))
		out["places"] = append(out["places"], strings.ReplaceAll(fmt.Sprintf("%020b", i), "", "a")[1:])
	}
	r := rand.New(rand.NewPCG(1, 2))
	for _, names := range out {
		r.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	}
	return out
}

// Quadratic time would not end within the time limit of go test.
func TestFoldIsFast(t *testing.T) {
	n := 100_000
	if testing.Short() {
		n /= 10
	}
	for shape, names := range large(n) {
		require.NotEmpty(t, Fold(names, Devices), shape)
	}
}

func BenchmarkFold(b *testing.B) {
	for shape, names := range large(100_000) {
		b.Run(shape, func(b *testing.B) {
			for b.Loop() {
				Fold(names, Devices)
			}
		})
	}
}
