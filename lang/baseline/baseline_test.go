package baseline

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/parse"
)

// fingerprintOf returns a fingerprint that contains a number.
func fingerprintOf(n int) string { return fmt.Sprintf("%032x", n) }

func row(n int, text string) string { return fmt.Sprintf("    %q = %q\n", fingerprintOf(n), text) }

func block(attrs string, rows ...string) string {
	return "known \"conf-headroom\" {\n" + attrs + "  findings = {\n" + strings.Join(rows, "") + "  }\n}\n"
}

// Each mistake has a place, and a message that states the remedy.
func TestMistakes(t *testing.T) {
	for name, c := range map[string]struct {
		text, says string
		line       int
	}{
		"no devices":      {"devices = \"a\"\n", "devices is a list", 1},
		"no names":        {"devices = [\n  7]\n", "names in quotes", 2},
		"many devices":    {"devices = [\"a[1-1000000]\"]\n", "more than 100,000", 1},
		"no HCL":          {"known {", "", 1},
		"another block":   {"\nfabric \"x\" {}\n", "There is no block", 2},
		"no label":        {"known {\n  findings = {}\n}\n", "one label", 1},
		"outside":         {"owner = \"a\"\n", "outside of a block", 1},
		"unknown key":     {block("  ownr = \"a\"\n"), `Did you mean "owner"?`, 2},
		"no date":         {block("  until = \"2027-02-30\"\n"), "is not a date", 2},
		"a number":        {block("  owner = 7\n"), "owner is a text in quotes", 2},
		"a function":      {block("  owner = upper(\"a\")\n"), "owner is a text in quotes", 2},
		"two lines":       {block("  reason = \"a\\nb\"\n"), "reason is a text in quotes", 2},
		"no findings":     {"known \"a\" {\n}\n", "has no findings", 1},
		"a list":          {"known \"a\" {\n  findings = []\n}\n", "rows in braces", 2},
		"no fingerprint":  {block("", "    \"abc\" = \"error x\"\n"), "32 digits", 3},
		"no severity":     {block("", row(1, "bad x")), "begins with error or warning", 3},
		"twice":           {block("", row(1, "error x"), row(1, "error x")), "has a row already", 4},
		"twice in blocks": {block("", row(1, "error x")) + block("", row(1, "error x")), "has a row already", 8},
		"twice an owner":  {block("  owner = \"a\"\n  owner = \"b\"\n"), "", 3},
		"an inner block":  {"known \"a\" {\n  findings = {}\n  x {}\n}\n", "A block in a block", 3},
		"no text":         {"\x00", "", 1},
	} {
		b, ds := Read("b.hcl", []byte(c.text))
		require.True(t, ds.HasErrors(), name)
		require.Nil(t, b, name)
		assert.Contains(t, ds[0].Detail, c.says, name)
		assert.Equal(t, c.line, ds[0].At.Start.Line, name)
		assert.Equal(t, "b.hcl", ds[0].At.Filename, name)
	}
	_, ds := Read("b.hcl", make([]byte, parse.MaxFile+1))
	require.Len(t, ds, 1)
	assert.Equal(t, parse.TooLarge.Code, ds[0].Code)
}

// found is a finding of a run.
func found(n int, severity diag.Severity, place string) Finding {
	d := &diag.Diagnostic{Code: "conf-headroom", Severity: severity, Detail: "swp1 keeps 5 B. More."}
	return Finding{Diagnostic: d, Fingerprint: fingerprintOf(n), Place: place}
}

// numbers returns the numbers in the fingerprints of findings.
func numbers[T any](list []T, of func(T) string) (out []string) {
	for _, one := range list {
		out = append(out, strings.TrimLeft(of(one), "0"))
	}
	return out
}

func byKnown(k Known) string { return k.Entry.Fingerprint }
func byRow(r *Entry) string  { return r.Fingerprint }

// runOf returns a run that judged one device and one file, with the given findings.
func runOf(findings []Finding, device, file string) Scope {
	return Scope{
		Findings: findings, Devices: []string{device}, Files: map[string]bool{file: true}, Today: time.Date(2027, 3, 1, 23, 59, 59, 0, time.UTC),
		Made: func(place string) bool { return place == "" || strings.HasPrefix(place, "draft/") },
	}
}

// A finding with a row is held, worse or expired. A row without a finding is fixed only if all devices and files were judged.
func TestCompare(t *testing.T) {
	rows := []string{
		row(1, "error leaf1/f: text"), row(2, "warning leaf1/f: text"), row(3, "error leaf1/f: text"),
		row(4, "error draft/f: text"), row(5, "error"),
	}
	text := block("  owner = \"net\"\n  reason = \"later\"\n  until = \"2027-03-01\"\n", rows...) +
		block("", row(7, "error leaf1/f"), row(8, "error leaf1/f"))
	b, ds := Read("b.hcl", []byte(text))
	require.Empty(t, ds)
	all := []Finding{
		found(1, diag.Error, "leaf1/f"), found(2, diag.Error, "leaf1/f"), found(7, diag.Warning, "leaf1/f"), found(8, diag.Notice, "leaf1/f"),
		found(9, diag.Error, "leaf1/f"), found(10, diag.Notice, "leaf1/f"),
	}
	run := runOf(all, "leaf1", "leaf1/f")
	c, ds := b.Compare(run)
	require.Empty(t, ds)
	assert.Equal(t, []string{"1", "7", "8"}, numbers(c.Held, byKnown))
	assert.Equal(t, []string{"2"}, numbers(c.Returned, byKnown))
	assert.True(t, c.Returned[0].Worse)
	assert.Equal(t, []string{"3", "4", "5"}, numbers(c.Fixed, byRow))
	assert.Empty(t, c.Absent)
	assert.Equal(t, 1, c.New())
	assert.Equal(t, 2, c.Unowned())

	later := run
	later.Today = run.Today.Add(time.Second)
	c, _ = b.Compare(later)
	assert.Equal(t, []string{"7", "8"}, numbers(c.Held, byKnown))
	assert.Equal(t, []string{"1", "2"}, numbers(c.Returned, byKnown))
	assert.True(t, c.Returned[0].Expired)
	later.Today = time.Date(2027, 3, 2, 1, 0, 0, 0, time.FixedZone("", 3*3600))
	c, _ = b.Compare(later)
	assert.Equal(t, []string{"1", "7", "8"}, numbers(c.Held, byKnown), "the day ends by UTC")

	c, _ = b.Compare(runOf(all, "leaf1", "leaf2/f"))
	assert.Empty(t, c.Fixed, "the file was not judged")
	assert.Equal(t, []string{"3", "4", "5"}, numbers(c.Absent, byRow))
	b, ds = Read("b.hcl", []byte("devices = [\"leaf[1-2]\", \"a b\", \"spine1\"]\n"+text))
	require.Empty(t, ds)
	c, _ = b.Compare(run)
	assert.Empty(t, c.Fixed, "a device was not judged")
	assert.Equal(t, []string{"leaf2", "a b", "spine1"}, c.Lacking)
	assert.Equal(t, []string{"3", "4", "5"}, numbers(c.Absent, byRow))

	other := found(1, diag.Error, "leaf1/f")
	other.Code = "conf-pools"
	_, ds = b.Compare(runOf([]Finding{other}, "leaf1", "leaf1/f"))
	require.Len(t, ds, 1)
	assert.Contains(t, ds[0].Detail, "has the code conf-pools")
	other.Formerly = "conf-headroom"
	_, ds = b.Compare(runOf([]Finding{other}, "leaf1", "leaf1/f"))
	assert.Empty(t, ds)
}

const edited = `# ours
devices = ["leaf9"] # all

known "conf-headroom" {
  owner  = "net" # who
  reason = "later"
  findings = {
    # the first
    "00000000000000000000000000000001" = "warning leaf1/f: old"
    "00000000000000000000000000000002" = "error leaf1/f: old", # gone
    "00000000000000000000000000000003" = "warning leaf1/f: old"
  }
}

// the whole block goes
known "conf-headroom" { findings = { "00000000000000000000000000000004" = "error leaf1/f" } }

known "conf-headroom" {
  findings = { "00000000000000000000000000000005" = "error leaf1/f", "00000000000000000000000000000006" = "error leaf1/f" }
}
`

// An edit changes only fixed rows and severities that are worse. All other text stays.
func TestEdited(t *testing.T) {
	b, ds := Read("b.hcl", []byte(edited))
	require.Empty(t, ds)
	more := found(8, diag.Warning, "leaf0/f")
	more.Code = "conf-pools"
	more.Detail = "${x} \"y\" " + strings.Repeat("ä", 100)
	run := runOf([]Finding{
		found(1, diag.Error, "leaf1/f"), found(6, diag.Error, "leaf1/f"), found(7, diag.Error, "leaf1/f"), more,
	}, "leaf9", "leaf1/f")
	c, ds := b.Compare(run)
	require.Empty(t, ds)
	assert.Equal(t, `# ours
devices = ["leaf9"] # all

known "conf-headroom" {
  owner  = "net" # who
  reason = "later"
  findings = {
    # the first
    "00000000000000000000000000000001" = "error leaf1/f: swp1 keeps 5 B"
  }
}

// the whole block goes

known "conf-headroom" {
  findings = { "00000000000000000000000000000006" = "error leaf1/f" 
    "00000000000000000000000000000007" = "error leaf1/f: swp1 keeps 5 B"
  }
}

known "conf-pools" {
  owner  = ""
  reason = ""
  until  = ""
  findings = {
    "00000000000000000000000000000008" = "warning leaf0/f: $${x} \"y\" `+strings.Repeat("ä", 45)+`..."
  }
}
`, string(c.Edited()))
	_, ds = Read("b.hcl", c.Edited())
	require.Empty(t, ds)

	run.Devices = []string{"leaf1", "leaf2"}
	c, _ = b.Compare(run)
	assert.Contains(t, string(c.Edited()), "\ndevices = [\"leaf[1-2,9]\"] # all\n", "leaf9 is kept, because its rows are kept")
	assert.Contains(t, string(c.Edited()), fingerprintOf(4))
	c, _ = (&Baseline{}).Compare(run)
	assert.Contains(t, string(c.Edited()), "\n\ndevices = [\"leaf[1-2]\"]\n\nknown ")
}

// For any baseline and any run, the edited baseline can be read, has each finding that counts, and has no fixed row. A second edit
// changes nothing.
func TestEditedIsWhole(t *testing.T) {
	for seed := range uint64(300) {
		draw := rand.New(rand.NewPCG(seed, 1))
		var text strings.Builder
		n := 0
		for range draw.IntN(4) {
			text.WriteString([]string{"", "\n", "# x\n"}[draw.IntN(3)])
			var rows []string
			for range draw.IntN(4) {
				n++
				one := row(n, []string{"error", "warning"}[draw.IntN(2)]+" leaf"+fmt.Sprint(draw.IntN(2))+"/f: x")
				switch draw.IntN(4) {
				case 0:
					one = strings.TrimRight(one, "\n") + ",\n"
				case 1:
					one = strings.TrimSpace(one) + ", "
				case 2:
					one = "    # }\n" + one
				}
				rows = append(rows, one)
			}
			text.WriteString(block([]string{"", "  owner = \"o}\"\n"}[draw.IntN(2)], rows...))
		}
		var all []Finding
		for i := range n + 3 {
			if draw.IntN(2) == 0 {
				all = append(all, found(i+1, diag.Severity(1+draw.IntN(3)), fmt.Sprintf("leaf%d/f", draw.IntN(2))))
			}
		}
		b, ds := Read("b.hcl", []byte(text.String()))
		require.Empty(t, ds, "seed %d:\n%s", seed, text.String())
		run := runOf(all, "leaf1", "leaf1/f")
		run.Files["leaf0/f"] = draw.IntN(2) == 0
		c, _ := b.Compare(run)
		out := c.Edited()
		again, ds := Read("b.hcl", out)
		require.Empty(t, ds, "seed %d:\n%s\n%s", seed, text.String(), out)
		now, _ := again.Compare(run)
		require.Zero(t, now.New(), "seed %d", seed)
		require.Empty(t, now.Returned, "seed %d", seed)
		require.Empty(t, now.Fixed, "seed %d", seed)
		require.Len(t, now.Absent, len(c.Absent), "seed %d", seed)
		require.Equal(t, string(out), string(now.Edited()), "seed %d", seed)
	}
}

// FuzzRead reads any text without a panic, and edits each baseline that it could read.
func FuzzRead(f *testing.F) {
	f.Add([]byte(edited))
	f.Fuzz(func(t *testing.T, src []byte) {
		b, ds := Read("b.hcl", src)
		if ds.HasErrors() {
			return
		}
		c, _ := b.Compare(runOf([]Finding{found(1, diag.Error, "leaf1/f"), found(77, diag.Error, "leaf1/f")}, "leaf1", "leaf1/f"))
		if _, ds := Read("b.hcl", c.Edited()); ds.HasErrors() {
			t.Fatalf("%q became %q: %s", src, c.Edited(), ds[0].Detail)
		}
	})
}
