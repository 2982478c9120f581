package lang

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// The values of cables blocks have precedence over the values of the file and of the topology block.
func TestCables(t *testing.T) {
	const sheet = `a,b,length
leaf01:swp49,leaf02:swp49,1m
leaf01:swp50,leaf02:swp50,
LEAF01:swp1,spine01:Ethernet1/1,7m
leaf02:swp1,spine01:GigabitEthernet0/0/0/1,
leaf02:swp2,Größe:p1,
`
	load := func(t *testing.T, blocks string) []string {
		s, ds := Load(files(map[string]string{
			"f/fabric.hcl": "fabric \"f\" {}\ntopology \"t\" {\nformat = \"csv\"\nfile = \"t.csv\"\nlength = \"3m\"\nfold_names = true\n" + blocks +
				"\n}\n",
			"f/t.csv": sheet,
		}), "f", Options{})
		require.Empty(t, show(s, ds))
		var got []string
		for _, l := range s.Links {
			b := l.Block
			got = append(got, fmt.Sprint(l.A.Device, ":", l.A.Port, " ", l.B.Device, ":", l.B.Port, " ", b.Length.V, " ", b.Marked().Peer.V))
		}
		return got
	}
	for _, c := range []struct{ blocks, want string }{
		{
			`cables "gr*" { ignore = true }`,
			"leaf01:swp49 leaf02:swp49 1 false|leaf01:swp50 leaf02:swp50 3 false|leaf01:swp1 spine01:Ethernet1-1 7 false|leaf02:swp1 " +
				"spine01:Gi0-0-0-1 3 false",
		},
		{
			"cables \"gr*, spine01:*\" { ignore = true }\ncables \"leaf01 -- leaf02\" { peer = true }\ncables \"leaf*:swp49\" { length = \"2m\" }",
			"leaf01:swp49 leaf02:swp49 2 true|leaf01:swp50 leaf02:swp50 3 true",
		},
		{
			"cables \"gr*,spine01\" { ignore = true }\ncables \"leaf0?:swp49-50\" { peer = true }",
			"leaf01:swp49 leaf02:swp49 1 true|leaf01:swp50 leaf02:swp50 3 true",
		},
		{
			"cables \"*:swp[1-2]\" { ignore = true }\ncables \"leaf[01-02]:swp[49]\" { peer = true }\ncables \"leaf01:swp50\" {\nignore = true\n}",
			"leaf01:swp49 leaf02:swp49 1 true",
		},
	} {
		assert.Equal(t, strings.Split(c.want, "|"), load(t, c.blocks), c.blocks)
	}
}

// A cable that a file has once from each end, in any order, is one link. A line that occurs twice is a mistake that another package
// reports.
func TestCablesFromBothEnds(t *testing.T) {
	for sheet, want := range map[string]int{
		"a:1,b:1\nb:1,a:1\na:2,b:2\n": 2, "b:1,a:1\na:1,b:1\n": 1, "a:1,b:1\na:1,b:1\n": 2, "a:1,b:1\nb:1,a:2\n": 2, "a:1,a:2\na:2,a:1\n": 1,
	} {
		s, ds := Load(files(map[string]string{
			"f/fabric.hcl": "fabric \"f\" {}\ntopology \"t\" {\nformat = \"csv\"\nfile = \"t.csv\"\n}\n", "f/t.csv": "a,b\n" + sheet,
		}), "f", Options{})
		require.Empty(t, show(s, ds))
		assert.Len(t, s.Links, want, sheet)
	}
}

// Selectors are refused if there are too many, if they are too long, or if they select too many cables.
func TestTooManySelectors(t *testing.T) {
	var sheet strings.Builder
	sheet.WriteString("a,b\n")
	for i := range 40_000 {
		fmt.Fprintf(&sheet, "a%d:p,b%d:p\n", i, i)
	}
	block := func(label string) string { return "cables \"" + label + "\" { peer = true }\n" }
	for _, c := range []struct{ blocks, say string }{
		{block(strings.TrimSuffix(strings.Repeat("a1,", 1000), ",")), "1,000 selectors"},
		{block(strings.Repeat("*?", 10_000)), "too long to compare with 40,000 cables"},
		{block("a[" + strings.TrimSuffix(strings.Repeat("1,", 20_000), ",") + "]"), "too long to compare with 40,000 cables"},
		{strings.Repeat(block("*"), 260), "10,000,000 times"},
	} {
		s, ds := Load(files(map[string]string{
			"f/fabric.hcl": "fabric \"f\" {}\ntopology \"t\" {\nformat = \"csv\"\nfile = \"t.csv\"\n" + c.blocks + "}\n",
			"f/t.csv":      sheet.String(),
		}), "f", Options{})
		require.Len(t, ds, 1, "%s", c.say)
		assert.Equal(t, "topology-too-large", ds[0].Code)
		assert.Contains(t, ds[0].Detail, c.say)
		assert.Empty(t, s.Links)
	}
}

// A nodeset as a pattern matches exactly its names.
func TestPatternsAreNodesets(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lo := rapid.IntRange(0, 120).Draw(t, "lo")
		hi := rapid.IntRange(lo, lo+30).Draw(t, "hi")
		width := rapid.IntRange(1, 4).Draw(t, "width")
		p, why := newNamePattern(fmt.Sprintf("l[%0*d-%d]x", width, lo, hi))
		require.Empty(t, why)
		if len(fmt.Sprintf("%0*d", width, lo)) == 1 {
			width = 1
		}
		width = len(fmt.Sprintf("%0*d", width, lo))
		for n := range 200 {
			for w := 1; w <= 5; w++ {
				name := fmt.Sprintf("l%0*dx", w, n)
				want := lo <= n && n <= hi && name == fmt.Sprintf("l%0*dx", width, n)
				require.Equal(t, want, p.match(name), name)
			}
		}
	})
	many, why := newNamePattern(strings.Repeat("*a", 30))
	require.Empty(t, why)
	require.False(t, many.match(strings.Repeat("a", 60)+"b"))
}
