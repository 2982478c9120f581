package report

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/nodeset"
)

func TestNamesFold(t *testing.T) {
	names := Names{
		"rail1": nodeset.Interfaces, "rail2": nodeset.Interfaces, "rail3": nodeset.Interfaces, "gpu": nodeset.Devices, "store": nodeset.Devices,
		"gpu01": nodeset.Devices, "gpu02": nodeset.Devices,
	}
	for _, tc := range []struct{ in, want []string }{
		{nil, nil},
		{[]string{"rail1 is odd."}, []string{"rail1 is odd. 0"}},
		{[]string{"rail1 is odd.", "rail1 is odd."}, []string{"rail1 is odd. 0 1"}},
		{[]string{"rail1 is odd.", "rail2 is odd.", "rail3 is odd."}, []string{"rail[1-3] is odd. 0 1 2"}},
		{[]string{"of rail1, (rail1).", "other", "of rail2, (rail2)."}, []string{"of rail[1-2], (rail[1-2]). 0 2", "other 1"}},
		{[]string{"rail1 of gpu", "rail2 of gpu", "rail1 of store"}, []string{"rail[1-2] of gpu 0 1", "rail1 of store 2"}},
		{[]string{"rail1 has 31 B", "rail2 has 32 B"}, []string{"rail1 has 31 B 0", "rail2 has 32 B 1"}},
		{[]string{"eth1 is odd.", "eth2 is odd."}, []string{"eth1 is odd. 0", "eth2 is odd. 1"}},
		{[]string{"gpu01: odd", "gpu02: odd", "rail1: odd"}, []string{"gpu[01-02]: odd 0 1", "rail1: odd 2"}},
	} {
		var got []string
		for _, f := range names.Fold(tc.in) {
			got = append(got, strings.Trim(fmt.Sprint(f.Text, " ", f.Of), "]"))
		}
		for i, s := range got {
			got[i] = strings.Replace(s, " [", " ", 1)
		}
		require.Equal(t, tc.want, got)
	}
}

// Folding loses no text: each note is in exactly one printed note, and single notes do not change.
func TestNamesFoldLosesNothing(t *testing.T) {
	names := Names{"a1": nodeset.Interfaces, "a2": nodeset.Interfaces, "h1": nodeset.Devices, "h2": nodeset.Devices}
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.SampledFrom([]string{"a1", "a2", "h1", "h2", "is", "a1.", "7"})
		texts := rapid.SliceOf(rapid.Map(rapid.SliceOfN(word, 1, 4), func(w []string) string { return strings.Join(w, " ") })).Draw(t, "texts")
		var of []int
		for _, f := range names.Fold(texts) {
			require.NotEmpty(t, f.Of)
			require.True(t, slices.IsSorted(f.Of))
			same := true
			for _, i := range f.Of {
				same = same && texts[i] == texts[f.Of[0]]
			}
			require.Equal(t, same, f.Text == texts[f.Of[0]])
			of = append(of, f.Of...)
		}
		slices.Sort(of)
		for i, n := range of {
			require.Equal(t, i, n)
		}
		require.Len(t, of, len(texts))
	})
}

func TestFoldNotes(t *testing.T) {
	at := func(line int) diag.Range {
		r := diag.Range{Filename: "f.hcl"}
		r.Start.Line = line
		return r
	}
	f := &ir.Fabric{}
	for i := 1; i <= 4; i++ {
		d := &ir.Device{Name: fmt.Sprintf("gpu%02d", i), Group: "gpu", DevicePlaces: &ir.DevicePlaces{Decl: at(1)}, Host: &ir.Host{}}
		d.Host.NICs = []*ir.NIC{{Name: "rail1", Device: d}, {Name: "rail2", Device: d}}
		d.Host.NICs[0].NICPlaces, d.Host.NICs[1].NICPlaces = &ir.NICPlaces{At: at(2)}, &ir.NICPlaces{At: at(3)}
		f.Devices = append(f.Devices, d)
	}
	every := func(*diag.Diagnostic) bool { return true }
	var notes diag.List
	notes.Noticef(at(2), "one", "S", "The nic rail1 is odd.")
	notes.Noticef(at(9), "two", "S", "The nic rail1 is odd.")
	notes.Noticef(at(3), "one", "S", "The nic rail2 is odd.")
	got := fold(notes, f, every)
	require.Len(t, got, 2)
	require.Equal(t, "The nic rail[1-2] is odd.", got[0].Detail)
	require.Equal(t, "2 notes say this, on gpu[01-04]; -v shows each.", got[0].Notes[0].Message)
	require.Equal(t, notes[1], got[1])
	elsewhere := diag.List{notes[1], notes[1], notes[1]}
	require.Equal(t, "3 notes say this, also at f.hcl:9; -v shows each.", fold(elsewhere, nil, every)[0].Notes[0].Message)
	f.Devices = append(f.Devices, &ir.Device{Name: "leaf01", DevicePlaces: &ir.DevicePlaces{Decl: at(4)}, Switch: &ir.Switch{}})
	other := *notes[0]
	other.At = at(9)
	mixed := diag.List{notes[0], &other, notes[0]}
	require.Equal(t, "3 notes say this, on gpu[01-04], also at f.hcl:9; -v shows each.", fold(mixed, f, every)[0].Notes[0].Message)
	nowhere := diag.List{{Severity: diag.Notice, Code: "one"}, {Severity: diag.Notice, Code: "one"}}
	require.Equal(t, "2 notes say this; -v shows each.", fold(nowhere, f, every)[0].Notes[0].Message, "no switch without a version")
	require.Equal(t, "The nic rail1 is odd.", notes[0].Detail, "folding changes only a copy")
	require.Empty(t, notes[0].Notes)
}

func TestFoldFindings(t *testing.T) {
	at := func(file string, line int) diag.Range {
		r := diag.Range{Filename: file}
		r.Start.Line = line
		return r
	}
	f := &ir.Fabric{Devices: []*ir.Device{{Name: "leaf1", Switch: &ir.Switch{}}, {Name: "leaf2", Switch: &ir.Switch{}}}}
	var l diag.List
	for i := range 7 {
		l.Errorf(at("leaf1/a", 3), "one", "S", "Port %d is odd.", i)
	}
	l.Errorf(at("leaf1/b", 3), "one", "S", "Port 0 is odd.")
	l.Errorf(at("leaf1/b", 9), "two", "S", "leaf1 is odd.")
	l.Warnf(at("leaf1/b", 9), "two", "S", "leaf1 is odd.")
	l.Errorf(at("leaf2/b", 9), "two", "S", "leaf2 is odd.")
	l.Errorf(at("leaf2/c", 1), "three", "S", "Here.").Note(at("leaf1/c", 1), "there")
	l.Errorf(at("leaf2/c", 1), "three", "S", "Here.").Note(at("leaf1/c", 1), "there")
	var got []string
	for _, d := range foldFindings(l, f) {
		var line strings.Builder
		line.WriteString(fmt.Sprintf("%s %s %s: %s", d.Severity, d.Code, Place(d.At), d.Detail))
		for _, n := range d.Notes {
			line.WriteString(" | " + n.Message)
		}
		got = append(got, line.String())
	}
	require.Equal(t, []string{
		"error one leaf1/a:3: Port 0 is odd.\nPort 1 is odd.\nPort 2 is odd.\nPort 3 is odd.\n3 more of this code here; -v shows each." +
			" | 2 errors say this, also at leaf1/b:3; -v shows each.",
		"error two leaf1/b:9: leaf[1-2] is odd. | 2 errors say this, also at leaf2/b:9; -v shows each.",
		"warning two leaf1/b:9: leaf1 is odd.",
		"error three leaf2/c:1: Here. | there",
		"error three leaf2/c:1: Here. | there",
	}, got)
	require.Empty(t, l[0].Notes, "folding changes only a copy")
}
