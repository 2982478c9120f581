package lock

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/rocec/rocec/lang/diag"
)

func sample() *File {
	return &File{Fabric: "pod1", Rocec: "0.13.0", Rows: []*Row{
		{Kind: Mark, Inputs: "asic=spectrum speed=100G mtu=9216", Numbers: []Number{{Name: "min", N: 153600}, {Name: "probability", N: 100}}},
		{
			Kind: Buffer, Inputs: "asic=spectrum speed=100G length=30m mtu=9216",
			Numbers: []Number{{Name: "buffer", N: 97152}, {Name: "xoff", N: 18048}},
			By:      []string{"frame this port is sending: 9,216 B", "rounding: 2 B"},
		},
	}}
}

// signed returns a text with its correct checksum.
func signed(body string) string { return body + checksum + sum(body) + "\n" }

func body(t testing.TB) string {
	text, _, ok := strings.Cut(string(Format(sample())), checksum)
	require.True(t, ok)
	return text
}

func read(text string) (*File, diag.List) {
	var ds diag.List
	return Read("f/"+Name, []byte(text), &ds), ds
}

// Read returns the rows that Format writes, with their places and in the order of the file. Its lines may end in CRLF.
func TestRoundTrip(t *testing.T) {
	text := string(Format(sample()))
	for _, text := range []string{text, strings.ReplaceAll(text, "\n", "\r\n"), strings.TrimSuffix(text, "\n")} {
		f, ds := read(text)
		require.Empty(t, ds)
		assert.Equal(t, []string{"pod1", "0.13.0"}, []string{f.Fabric, f.Rocec})
		require.Len(t, f.Rows, 2)
		buffer := f.Rows[0]
		assert.Equal(t, Buffer, buffer.Kind)
		assert.Equal(t, sample().Rows[1].By, buffer.By)
		assert.True(t, buffer.Same(sample().Rows[1]))
		xoff, ok := buffer.Number("xoff")
		require.True(t, ok)
		assert.Equal(t, "  xoff 18048", string(xoff.At.SliceBytes([]byte(text))))
		assert.Equal(t, "buffer asic=spectrum speed=100G length=30m mtu=9216", string(buffer.At.SliceBytes([]byte(text))))
		assert.Equal(t, string(Format(sample())), string(Format(f)), "reading and writing is not a change")
	}
}

func TestInvalid(t *testing.T) {
	whole := string(Format(sample()))
	good := body(t)
	for name, c := range map[string]struct{ text, line, says string }{
		"empty":        {"", "", "is empty"},
		"another file": {"{}\n", "{}", "not a fabric.lock of rocec"},
		"no form":      {"rocec-lock one\n", "rocec-lock one", "not a fabric.lock of rocec"},
		"newer":        {strings.Replace(whole, "rocec-lock 1", "rocec-lock 2", 1), "rocec-lock 2", "A newer rocec wrote this file, in form 2"},
		"cut off":      {good, "", "cut off"},
		"cut in two":   {whole[:len(whole)/2], "", "cut off"},
		"edited":       {strings.Replace(whole, "97152", "97153", 1), checksum, "edited by hand, merged or damaged"},
		"merged":       {strings.Replace(whole, "buffer asic", "<<<<<<< HEAD\nbuffer asic", 1), checksum, "edited by hand, merged or damaged"},
		"twice": {
			signed(good + "mark asic=spectrum speed=100G mtu=9216\n  min 1\n"), "mark asic=spectrum speed=100G mtu=9216",
			`The sizes for "asic=spectrum speed=100G mtu=9216" are pinned twice.`,
		},
		"number twice":    {signed(good + "mark x=1\n  min 1\n  min 2\n"), "  min 2", "pins min twice"},
		"not a number":    {signed(good + "mark x=1\n"), "mark x=1", "pins no number"},
		"other number":    {signed(good + "mark x=1\n  xoff 1\n"), "  xoff 1", `pins min, max and probability, but not "xoff"`},
		"no size":         {signed(good + "mark x=1\n  min 1.5\n"), "  min 1.5", `"1.5" is not a size`},
		"negative":        {signed(good + "mark x=1\n  min -1\n"), "  min -1", `"-1" is not a size`},
		"octal":           {signed(good + "mark x=1\n  min 01\n"), "  min 01", `"01" is not a size`},
		"too large":       {signed(good + "mark x=1\n  min 99999999999999\n"), "  min 99999999999999", "is not a size"},
		"beyond 100 %":    {signed(good + "mark x=1\n  probability 101\n"), "  probability 101", `"101" is not a size`},
		"another kind":    {signed(good + "queue x=1\n"), "queue x=1", `"queue x=1" has no meaning here.`},
		"number above":    {signed("rocec-lock 1\nfabric f\n  min 1\n"), "  min 1", "has no meaning here"},
		"fabric below":    {signed(good + "fabric other\n"), "fabric other", "has no meaning here"},
		"no fabric":       {signed("rocec-lock 1\nrocec 1\n"), "rocec-lock 1", "does not state its fabric"},
		"escape sequence": {signed("rocec-lock 1\nfabric f\n\x1b[2J x\n"), "\x1b[2J x", `"\x1b[2J x" has no meaning here.`},
	} {
		f, ds := read(c.text)
		assert.Nil(t, f, name)
		require.Len(t, ds, 1, name)
		assert.Equal(t, "lock-invalid", ds[0].Code, name)
		assert.Contains(t, ds[0].Detail, c.says, name)
		assert.Contains(t, ds[0].Detail, "build --lock --refresh", name)
		assert.Equal(t, "f/"+Name, ds[0].At.Filename, name)
		assert.True(t, strings.HasPrefix(string(ds[0].At.SliceBytes([]byte(c.text))), c.line), "%s: %v", name, ds[0].At)
	}
}

// Read detects every change, removal or insertion of a byte in a file.
func TestChecksum(t *testing.T) {
	text := string(Format(sample()))
	rapid.Check(t, func(t *rapid.T) {
		at := rapid.IntRange(0, len(text)-2).Draw(t, "at") // the last line end may be missing
		changed := text[:at] + rapid.SampledFrom([]string{"", "x", "0", "\n"}).Draw(t, "by") + text[at+1:]
		f, ds := read(changed)
		if changed != text && f != nil {
			t.Fatalf("%q is accepted: %v", changed, ds)
		}
	})
}

// Format returns the same bytes for any order of the rows, and Read accepts these bytes.
func TestFormat(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := &File{Fabric: "f", Rocec: "1"}
		for i := range rapid.IntRange(0, 20).Draw(t, "rows") {
			kind := rapid.SampledFrom([]string{Buffer, Mark}).Draw(t, "kind")
			row := &Row{Kind: kind, Inputs: fmt.Sprintf("n=%d", i)}
			for _, name := range numbers[kind][:rapid.IntRange(1, 3).Draw(t, "numbers")] {
				row.Numbers = append(row.Numbers, Number{Name: name, N: rapid.IntRange(0, 100).Draw(t, "n")})
			}
			f.Rows = append(f.Rows, row)
		}
		text := Format(f)
		f.Rows = rapid.Permutation(f.Rows).Draw(t, "order")
		if string(Format(f)) != string(text) {
			t.Fatal("the order of rows changes the bytes")
		}
		var ds diag.List
		again := Read(Name, text, &ds)
		if again == nil || string(Format(again)) != string(text) {
			t.Fatalf("%s is not read as written: %v", text, ds)
		}
	})
}

func FuzzRead(f *testing.F) {
	f.Add(string(Format(sample())))
	f.Add("rocec-lock 1\nfabric f\nmark x\n  min 1\n")
	f.Add("\r\n\n")
	f.Fuzz(func(t *testing.T, text string) {
		for _, text := range []string{text, signed(strings.ReplaceAll(text, "\r\n", "\n"))} {
			got, ds := read(text)
			if (got == nil) != ds.HasErrors() {
				t.Fatalf("%q: %v %v", text, got, ds)
			}
			for _, d := range ds {
				if d.At.End.Byte > len(text) || d.At.Start.Byte > d.At.End.Byte {
					t.Fatalf("%q: a place outside of the file: %v", text, d.At)
				}
			}
		}
	})
}
