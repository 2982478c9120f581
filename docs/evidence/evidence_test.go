package evidence

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const bundle = Title + `
level:   1, which writes
devices: real

=== device-1, device-2
target:  nvue
release: 5.12.0
model:   sn5600
chip:    nvue Spectrum-4
wrote:   yes, so that
--- nvue-applied
verdict: holds
  @ before
  $ nv config show
  | target: made up
  @ after
  (nothing)
--- nvue-other
verdict: not decided
answer:  that of nvue-applied

=== device-3
target:  mlx5 rxe
model:   connectx-5, soft-roce
chip:    mlx5 connectx-5, rxe soft-roce
--- cma-tos
  | a
  | b
  (cut after 8192 bytes)
--- ets
verdict: does not hold
  | c

=== device-4
target:  nvue
release: 5.13.0
chip:    nvue Spectrum-4
not read: device-unreachable

end of the bundle
`

func TestRead(t *testing.T) {
	got, err := Read(fstest.MapFS{"b.txt": {Data: []byte(bundle)}, "README.md": {Data: []byte("no report")}})
	require.NoError(t, err)
	of := []Submission{{"b.txt", "1"}}
	assert.Equal(t, Index{
		{"nvue", "5.12.0", "Spectrum-4"}: of, {"mlx5", "", "connectx-5"}: of, {"rxe", "", "soft-roce"}: of,
	}, got, "5.13.0 did not answer")
	assert.True(t, got.Reported("nvue", "5.12.0", "Spectrum-4"))
	assert.False(t, got.Reported("nvue", "5.12.0", "Spectrum-3"), "another chip")

	undecided := strings.NewReplacer("verdict: holds", "verdict: not decided", "verdict: does not hold", "verdict: echo").Replace(bundle)
	for text, says := range map[string]string{
		"":                          "does not begin with",
		"rocec selftest bundle 1\n": "of another rocec",
		Title + "\ndevices: real\n": "no device has answered",
		Title + "\n=== device-1\n":  "simulated",
		"x\n" + bundle:              "does not begin with",
		Title + "\ndevices: simulated\n=== device-1\ndevices: real\ntarget: nvue\n--- x\n": "simulated",
		strings.Replace(bundle, End, "", 1):                                                "its end is missing",
		bundle + "=== device-9\n":                                                          "its end is missing",
		undecided:                                                                          "no claim about a device of a known kind is decided",
	} {
		_, err := Read(fstest.MapFS{"a.txt": {Data: []byte(text)}})
		require.ErrorContains(t, err, says, text)
		assert.ErrorContains(t, err, "a.txt: ")
	}
}

func TestParse(t *testing.T) {
	b, err := Parse(bundle)
	require.NoError(t, err)
	require.Len(t, b.Parts, 3)
	assert.True(t, b.Whole)
	assert.Equal(t, &Part{
		Devices: "device-1, device-2", Targets: []string{"nvue"}, Release: "5.12.0", Models: []string{"sn5600"},
		Chips: []string{"nvue Spectrum-4"}, Wrote: true,
		Entries: []*Assertion{
			{ID: "nvue-applied", Verdict: "holds", Answers: []Reply{{Moment: "before", Text: "target: made up\n"}, {Moment: "after"}}},
			{ID: "nvue-other", Verdict: "not decided", That: "nvue-applied"},
		},
	}, b.Parts[0])
	assert.Equal(t, []Reply{{Text: "a\nb\n", Cut: true}}, b.Parts[1].Entries[0].Answers)
	assert.Equal(t, "device-unreachable", b.Parts[2].NotRead)
}

// Parse refuses bundles beyond its bounds.
func TestParseBounds(t *testing.T) {
	for says, text := range map[string]string{
		"it is larger than 32 MiB":        Title + "\n" + strings.Repeat("x", MaxBundle),
		"it has more than 20000 sections": Title + "\n" + strings.Repeat("=== d\n", maxParts+1),
		"it has more than 200000 claims": Title + "\n" + strings.Repeat("=== d\n"+strings.Repeat("--- c\n", maxEntries),
			maxClaims/maxEntries+1),
		"a section has more than 500 claims": Title + "\n=== d\n" + strings.Repeat("--- c\n", maxEntries+1),
		"a claim has more than 50 answers":   Title + "\n=== d\n--- c\n" + strings.Repeat("  @ m\n", maxMoments+1),
	} {
		_, err := Parse(text)
		assert.EqualError(t, err, says)
	}
}

// FuzzParse: Parse returns a bundle or an error for any bytes, and the bounds apply.
func FuzzParse(f *testing.F) {
	f.Add(bundle)
	f.Add(Title + "\n=== d\n--- c\n  | x\n  @ y\n")
	f.Fuzz(func(t *testing.T, text string) {
		b, err := Parse(text)
		if err != nil {
			return
		}
		n := 0
		for _, p := range b.Parts {
			for _, e := range p.Entries {
				for _, a := range e.Answers {
					n += len(a.Text)
				}
			}
		}
		if n > len(text) {
			t.Fatal("more text than the bundle has")
		}
	})
}

// nameOf returns the beginning of the name of a report about a kind of device: "nvue-5.9.1-spectrum-2".
func nameOf(k Key) string {
	words := slices.DeleteFunc([]string{k.Target, k.Release, k.Chip}, func(s string) bool { return s == "" })
	return strings.ReplaceAll(strings.ToLower(strings.Join(words, "-")), " ", "-")
}

// TestReports: every report of the folder can be read. Its name is that of a kind of device that it is about, and the README lists it.
func TestReports(t *testing.T) {
	all, err := Read(Files)
	require.NoError(t, err)
	text, err := Files.ReadFile("README.md")
	require.NoError(t, err)
	named := map[string]bool{}
	for k, reports := range all {
		for _, r := range reports {
			named[r.File] = named[r.File] || strings.HasPrefix(r.File, nameOf(k))
			assert.Contains(t, string(text), fmt.Sprintf("(%s)", r.File), k)
		}
	}
	for file, is := range named {
		assert.True(t, is, "%s has the name of no kind of device in it", file)
	}
}
