package picture

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/rocec/rocec/lang/nodeset"
)

// The page restores the original data from the columns.
func TestUnpack(t *testing.T) {
	b := openBrowser(t)
	for _, s := range scenes(t) {
		want := newPage(draw(s.fabric, s.proofs))
		b.open(put(t, s.name+".html", HTML(s.fabric, s.proofs)))
		var text string
		b.run("return JSON.stringify(unpack(JSON.parse(document.getElementById('data').textContent)))", &text)
		var got page
		require.NoError(t, json.Unmarshal([]byte(text), &got))
		require.Equal(t, *want, got, s.name)
	}
}

func TestColumn(t *testing.T) {
	for want, c := range map[string]column{
		`[]`:                         {},
		`[7]`:                        {7},
		`[1,2,3]`:                    {1, 2, 3},
		`[[1,1,4]]`:                  {1, 2, 3, 4},
		`[[5,0,6],1]`:                {5, 5, 5, 5, 5, 5, 1},
		`[[9,-3,4],7,8,[1,0,4]]`:     {9, 6, 3, 0, 7, 8, 1, 1, 1, 1},
		`[[1,1,4],[1,1,4],-1,-2,-1]`: {1, 2, 3, 4, 1, 2, 3, 4, -1, -2, -1},
	} {
		got, err := json.Marshal(c)
		require.NoError(t, err)
		assert.Equal(t, want, string(got))
	}
}

// expanded returns the names that unpack.js restores.
func expanded(set, before string) []string {
	at := regexp.MustCompile(`\[(\d+)-(\d+)\]`).FindStringSubmatchIndex(set)
	if at == nil {
		return []string{before + set}
	}
	var out []string
	from, _ := strconv.Atoi(set[at[2]:at[3]])
	to, _ := strconv.Atoi(set[at[4]:at[5]])
	for n := from; n <= to; n++ {
		out = append(out, expanded(set[at[1]:], fmt.Sprintf("%s%s%0*d", before, set[:at[0]], at[3]-at[2], n))...)
	}
	return out
}

// Expanding restores the names of devices, whatever they are called and in any order.
func TestFoldInOrder(t *testing.T) {
	for want, all := range map[string][]string{
		"[p[1-2]-leaf[01-02] x]": {"p1-leaf01", "p1-leaf02", "p2-leaf01", "p2-leaf02", "x"},
		"[h[8-11]]":              {"h8", "h9", "h10", "h11"},
		"[h[0-1] h00]":           {"h0", "h1", "h00"},
		"[h[98-99] h0100]":       {"h98", "h99", "h0100"},
		"[a1-1 a2-2]":            {"a1-1", "a2-2"},
	} {
		assert.Equal(t, want, fmt.Sprint(foldInOrder(all)))
	}
	name := rapid.StringMatching(`[ab]?([0-9]{1,2}|09|99)(-([0-9]|10|999999999[0-9]))?[c]?`).Filter(func(s string) bool {
		return nodeset.CheckDevice(s) == ""
	})
	folded := 0
	rapid.Check(t, func(t *rapid.T) {
		all := rapid.SliceOfNDistinct(name, 1, 60, rapid.ID).Draw(t, "names")
		if rapid.Bool().Draw(t, "row") { // single names are seldom packed
			first, most := rapid.IntRange(0, 110).Draw(t, "first"), rapid.IntRange(2, 12).Draw(t, "most")
			for i := range most {
				if n := fmt.Sprint("row", first+i); !slices.Contains(all, n) {
					all = append(all, n)
				}
			}
		}
		if rapid.Bool().Draw(t, "sorted") {
			slices.SortFunc(all, nodeset.Compare)
		}
		sets := foldInOrder(slices.Clone(all))
		folded += len(all) - len(sets)
		var got []string
		for _, set := range sets {
			got = append(got, expanded(set, "")...)
		}
		require.Equal(t, all, got)
	})
	require.Positive(t, folded)
}

// A page needs only a few bytes for a device and its links if many other devices and links are equal.
func TestPageIsSmall(t *testing.T) {
	f := clos(8000)
	doc, err := json.Marshal(newPage(draw(f, free(f))).pack())
	require.NoError(t, err)
	require.Less(t, len(doc), 25*len(f.Devices))
}
