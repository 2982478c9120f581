package policy

import (
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/lang/diag"
)

var flags = []string{"--skip-cabling-check", "--alone"}

func read(t *testing.T, text string) *Policy {
	t.Helper()
	p, ds := Read("policy.hcl", []byte(text), flags)
	require.Empty(t, ds)
	return p
}

// says returns the lines and the texts of diagnostics.
func says(ds diag.List) []string {
	var out []string
	for _, d := range ds {
		out = append(out, strings.Repeat("\n", d.At.Start.Line-1)+d.Detail)
	}
	return out
}

// TestMistakes names each mistake of a policy at its place.
func TestMistakes(t *testing.T) {
	for text, want := range map[string]string{
		`forbid = ["--skip-cabling-chek"]`: `"--skip-cabling-chek" is nothing that a policy forbids. Did you mean "--skip-cabling-check"?`,
		`forbid = "--alone"`:               "forbid is a list of texts in quotes.",
		`forbids = []`:                     `There is no "forbids" in a policy. Did you mean "forbid"?`,
		`approvals = 1.5`:                  "approvals is a whole number from 0 to 9: the persons who approve a plan.",
		`approvals = "two"`:                "approvals is a whole number from 0 to 9: the persons who approve a plan.",
		`prefixes = ["10.0.0.1/8"]`:        `"10.0.0.1/8" is no prefix. Write one such as "10.20.0.0/16" or "2001:db8::/32".`,
		`message = "("`:                    `"(" is no regular expression of Go. Write one such as "CHG[0-9]{7}".`,
		`sign_runs = 1`:                    "sign_runs is true or false.",
		`windows "a" {}`:                   `There is no block "windows" in a policy. Its blocks are window "NAME" { }.`,
		`window "a" { from = "1" }`:        `from is a time of day such as "22:00".`,
		`window "a" { from = "01:00" }`:    "A window has from and to, two times of day that differ.",
		"window \"a\" {\n from = \"01:00\"\n to = \"02:00\"\n days = [\"x\"]\n}": "\n\n\n\"x\" is no day. " +
			"Days are sun, mon, tue, wed, thu, fri and sat.",
		"window \"a\" { zone = \"Mars\" }": "This machine does not know the time zone \"Mars\". " +
			"Write one such as \"Europe/Zurich\".",
	} {
		p, ds := Read("policy.hcl", []byte(text), flags)
		require.Nil(t, p, text)
		require.Equal(t, []string{want}, says(ds), text)
	}
}

// TestJudge names what a policy forbids, with its line, and nothing else.
func TestJudge(t *testing.T) {
	p := read(t, `forbid = ["--skip-cabling-check", "allow_deadlock", "keys_on_disk"]
message = "CHG[0-9]{7}"
sign_runs = true
window "night" {
  days = ["sat"]
  from = "22:00"
  to   = "04:00"
}
`)
	saturday := time.Date(2026, 11, 28, 23, 0, 0, 0, time.UTC)
	good := Wish{Flags: []string{"--alone"}, Message: "for CHG0012345", At: saturday, Signs: true}
	require.Empty(t, p.Judge(&good))
	require.True(t, p.ForbidsKeysOnDisk())
	for want, change := range map[string]func(w *Wish){
		"The policy forbids --skip-cabling-check. Leave the flag out.": func(w *Wish) { w.Flags = append(w.Flags, "--skip-cabling-check") },
		"The policy forbids allow_deadlock, and the fabric has it. Take it out of the fabric.": func(w *Wish) {
			w.Allows = map[string][]diag.Range{AllowDeadlock: {{Filename: "main.hcl"}}, AllowUnproven: {{}}}
		},
		"\nThe policy wants a message that has CHG[0-9]{7}: write it with -m.":               func(w *Wish) { w.Message = "CHG1" },
		"\n\nThe policy wants each run to end with a signature. Name a key with --sign-key.": func(w *Wish) { w.Signs = false },
		"\n\n\nThe policy lets runs begin in its windows (night), and it is Sun 04:00 UTC. Wait for a window.": func(w *Wish) {
			w.At = saturday.Add(5 * time.Hour)
		},
	} {
		w := good
		change(&w)
		require.Equal(t, []string{want}, says(p.Judge(&w)))
	}
	require.Empty(t, read(t, "").Judge(&Wish{Flags: flags}))

	// Each part of a change has its own limits; flags are forbidden for all.
	bad := Wish{Flags: flags, Allows: map[string][]diag.Range{AllowDeadlock: {{}}}, At: saturday.Add(5 * time.Hour)}
	for part, want := range map[Part]int{Begin: 5, Plan: 2, End: 3, GoBack: 2} {
		w := bad
		w.Part = part
		require.Len(t, p.Judge(&w), want, part)
	}
	require.Equal(t, 1, p.Place(KeysOnDisk).Start.Line)
	require.Equal(t, 2, p.Place("message").Start.Line)
	require.Equal(t, diag.Range{}, p.Place(AllowUnproven))
}

// TestWindow opens at from and closes at to, on the days of from, by the clock of its zone.
func TestWindow(t *testing.T) {
	p := read(t, `window "a" {
  days = ["sat"]
  from = "22:00"
  to   = "04:00"
  zone = "Asia/Tokyo"
}
window "b" {
  from = "12:00"
  to   = "12:45"
}
`)
	tokyo, err := time.LoadLocation("Asia/Tokyo")
	require.NoError(t, err)
	for text, want := range map[string]bool{
		"28 21:59": false, "28 22:00": true, "29 03:59": true, "29 04:00": false, "29 22:00": false, "28 03:00": false, "27 23:00": false,
		"30 21:30": true, // 12:30 UTC
	} {
		at, err := time.ParseInLocation("2006-01 02 15:04", "2026-11 "+text, tokyo)
		require.NoError(t, err)
		require.Equal(t, want, len(p.Judge(&Wish{At: at})) == 0, text)
	}
}

// TestPrefixes allows the addresses of the prefixes, and all of them where there are none.
func TestPrefixes(t *testing.T) {
	p := read(t, `prefixes = ["10.20.0.0/16", "2001:db8::/32"]`)
	for text, want := range map[string]bool{
		"10.20.0.1": true, "2001:db8::1%eth0": true, "::ffff:10.20.0.1": true, "10.21.0.1": false, "2001:db8::1": true, "fe80::1": false,
	} {
		require.Equal(t, want, p.Allows(netip.MustParseAddr(text)), text)
	}
	require.True(t, read(t, "").Allows(netip.MustParseAddr("10.21.0.1")))
	require.False(t, read(t, "prefixes = []").Allows(netip.MustParseAddr("10.21.0.1")))
}

// FuzzRead reads any text without a panic.
func FuzzRead(f *testing.F) {
	f.Add(`forbid = ["--alone"]`)
	f.Fuzz(func(t *testing.T, text string) {
		if p, ds := Read("policy.hcl", []byte(text), flags); (p == nil) != ds.HasErrors() {
			t.Error("a policy is read or refused")
		}
	})
}
