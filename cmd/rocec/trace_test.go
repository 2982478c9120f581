package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/cmd/internal/person"
	"github.com/rocec/rocec/cmd/internal/view/trace"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/validate/walk"
)

// fatTree writes a fat tree of k-port switches. Other tools configure one core, which obeys no pauses if broken is set.
func fatTree(t *testing.T, k int, broken bool) (dir string) {
	t.Helper()
	var b strings.Builder
	half := k / 2
	fmt.Fprintf(&b, `
fabric "tree" {
  routing      = "up-down"
  failures     = 0
  cable_length = "30m"
}
cos_group "rdma" {
  cos      = 3
  dscp     = [26]
  lossless = true
  weight   = 60
  ecn {}
}
cos_group "cnp" {
  cos    = 6
  dscp   = [48]
  strict = true
}
roce "all" {
  version   = 2
  cos_group = cos_group.rdma
  cnp       = cos_group.cnp
  members   = [host.gpu]
}
switch_model "big" {
  asic  = "spectrum-3"
  ports = %[1]d
  speed = "200G"
}
switch "leaf" {
  names   = "p[1-%[1]d]-leaf[1-%[2]d]"
  model   = "big"
  os      = "cumulus-linux"
  version = "4.3.0"
  tier    = 1
}
switch "agg" {
  names   = "p[1-%[1]d]-agg[1-%[2]d]"
  model   = "big"
  os      = "cumulus-linux"
  version = "4.3.0"
  tier    = 2
}
switch "core" {
  names   = "core[2-%[2]d]-[1-%[2]d],core1-[2-%[2]d]"
  model   = "big"
  os      = "cumulus-linux"
  version = "4.3.0"
  tier    = 3
}
switch "odd" {
  names   = "core1-[1]"
  model   = "big"
  os      = "cumulus-linux"
  version = "4.3.0"
  tier    = 3
  %[3]s
}
host "gpu" {
  names = "p[1-%[1]d]-l[1-%[2]d]-h[1-%[2]d]"
  nic "ens1f0" {
    model = "connectx-6"
    mtu   = 9000
  }
}
link "hosts" {
  a     = "p[1-%[1]d]-l[1-%[2]d]-h[1-%[2]d]:ens1f0"
  b     = "p[1-%[1]d]-leaf[1-%[2]d]:swp[1-%[2]d]"
  speed = "100G"
}
`, k, half, map[bool]string{true: `by_hand { flow_control = "pfc-tx" }`}[broken])
	for pod := 1; pod <= k; pod++ {
		fmt.Fprintf(&b, "mesh \"pod%[1]d\" {\n  lower = \"p%[1]d-leaf[1-%[2]d]:swp[%[3]d-%[4]d]\"\n  upper = "+
			"\"p%[1]d-agg[1-%[2]d]:swp[1-%[2]d]\"\n}\n",
			pod, half, half+1, k)
	}
	for plane := 1; plane <= half; plane++ {
		fmt.Fprintf(&b, "mesh \"plane%[1]d\" {\n  lower = \"p[1-%[4]d]-agg[%[1]d]:swp[%[3]d-%[4]d]\"\n  upper = "+
			"\"core%[1]d-[1-%[2]d]:swp[1-%[4]d]\"\n}\n",
			plane, half, half+1, k)
	}
	dir = t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "fabric.hcl"), []byte(b.String()), 0o644))
	return dir
}

// For a fabric of any size, a trace fits on a screen, no line is wider than the terminal, and every run prints the same.
func TestTraceFolds(t *testing.T) {
	for _, k := range []int{4, 8, 12} {
		dir := fatTree(t, k, false)
		args := []string{"trace", dir, "p1-l1-h1", fmt.Sprintf("p%[1]d-l%[2]d-h%[2]d", k, k/2)}
		code, text, stderr := rocec(t, args...)
		require.Equal(t, exit.Good, code, "%s%s", text, stderr)
		require.LessOrEqual(t, strings.Count(text, "\n"), 72, text)
		for line := range strings.Lines(text) {
			require.LessOrEqual(t, utf8.RuneCountInString(strings.TrimSuffix(line, "\n")), 100, line)
		}
		for range 3 {
			_, again, _ := rocec(t, args...)
			require.Equal(t, text, again)
		}
		_, coloured, _ := rocec(t, append(args, "--color", "always")...)
		require.NotEqual(t, text, coloured)
		require.Equal(t, text, regexp.MustCompile("\x1b\\[[0-9;]*m").ReplaceAllString(coloured, ""))
		_, all, _ := rocec(t, append(args, "--all")...)
		require.Equal(t, 2*(4+k+k*k/4), len(regexp.MustCompile(`(?m)^   \S+ +DSCP`).FindAllString(all, -1)))
		_, doc, _ := rocec(t, append(args, "--format", "json")...)
		_, again, _ := rocec(t, append(args, "--format", "json")...)
		require.Equal(t, doc, again)
	}
}

// One wrong core of many is shown separately, is marked even without colour, and is named at the end.
func TestTraceNamesTheFirstBreak(t *testing.T) {
	code, text, _ := rocec(t, "trace", fatTree(t, 8, true), "p1-l1-h1", "p8-l4-h4")
	require.Equal(t, exit.Errors, code)
	require.Contains(t, text, "one of 15: core1-[2-4] and core[2-4]-[1-4]")
	require.Regexp(t, `(?m)^!!     out  swp8, 200G 30 m; .*obeys no pauses`, text)
	require.Contains(t, text, "error[pfc-one-end]: flow control at one end of a lossless link only")
	require.Contains(t, text, "=> first break: at core1-1, pfc-one-end: flow control at one end of a lossless link only")
}

// trace reports a break even if a bug prevents a stage from reporting it. A missing report never makes a trace good.
func TestBreakIsNeverLeftOut(t *testing.T) {
	a := newApp(&person.Person{Getenv: func(string) string { return "" }})
	f, err := a.Load("../../examples/rack-v1-pfc")
	require.NoError(t, err)
	in := f.Fabric.Intents[0]
	from, to := in.Members[0].NIC, in.Members[1].NIC
	for _, code := range []string{"trust-mismatch", walk.HostMixed, walk.HostNotMember} {
		found := &walk.Finding{Code: code, Breaks: true, Intent: in, From: from, To: to, Device: to.Device}
		said := trace.New(f).Of([]*walk.Finding{found})
		require.Len(t, said, 1, code)
		require.NotEmpty(t, said[0].Summary, code)
		require.True(t, said[0].Breaks(), code)
		found.Breaks = false
		require.Empty(t, trace.New(f).Of([]*walk.Finding{found}), code)
	}
}

// If a pause stops all traffic on a cable, notifications wait, too, and the trace does not state that they pass freely.
func TestTraceHoldsNotificationsUp(t *testing.T) {
	dir := filepath.Join("../../examples", "pause-at-hosts")
	code, text, stderr := rocec(t, "trace", dir, "store1", "store5")
	require.Equal(t, exit.Good, code, "%s%s", text, stderr)
	_, back, found := strings.Cut(text, "congestion notifications")
	require.True(t, found)
	require.Equal(t, 2, strings.Count(back, "link pause: waits with the rest"), back)
	require.Regexp(t, `on cables with link pause the notifications wait with other packets: out of\s+store5:ens1f0 and\s+leaf1:swp1\n`, back)
	require.NotContains(t, back, "no hop delays the notifications")
	_, text, _ = rocec(t, "trace", dir, "store1", "store5", "--color", "always")
	require.NotContains(t, text, diag.Green+"=> on")
}

// A port with link pause has no PFC, and no buffer for PFC.
func TestShowLinkPause(t *testing.T) {
	dir := filepath.Join("../../examples", "pause-at-hosts")
	_, text, stderr := rocec(t, "show", dir, "store1:ens1f0")
	require.Empty(t, stderr)
	require.Regexp(t, `(?m)^  pfc +off `, text)
	require.Regexp(t, `(?m)^  link pause +on .*stops every cos group`, text)
	require.NotContains(t, text, "buffer needed")
	_, text, _ = rocec(t, "show", dir, "store1,store5")
	require.Regexp(t, `in  leaf1:swp1 +pauses everything at \d+ B`, text)
	require.Regexp(t, `in  spine1:swp1 +pauses priority 3 at \d+ B`, text)
	_, text, _ = rocec(t, "show", fatTree(t, 4, false), "p1-l1-h1:ens1f0")
	require.Regexp(t, `(?m)^  pfc +on$`, text)
	require.Contains(t, text, "buffer needed")
}

// The fabric may have fewer senders than are needed for marks before pauses.
func TestShowMarksFirst(t *testing.T) {
	src, err := os.ReadFile(filepath.Join(fatTree(t, 4, false), "fabric.hcl"))
	require.NoError(t, err)
	marks := func(min string) string {
		dir := t.TempDir()
		text := strings.Replace(string(src), "ecn {}", "ecn { min = "+min+" }", 1)
		text = strings.Replace(text, "spectrum-3", "tomahawk", 1)
		text = strings.ReplaceAll(text, "200G", "100G")
		require.NoError(t, os.WriteFile(filepath.Join(dir, "fabric.hcl"), []byte(text), 0o644))
		_, out, stderr := rocec(t, "show", dir, "p1-leaf1:swp1")
		require.Empty(t, stderr)
		return out
	}
	few := marks("150000")
	require.Regexp(t, `of how many ports +never, with 3 ports +this min needs 9 ports at once; f x`, few)
	require.NotContains(t, few, "or more of")
	enough := marks("40000")
	require.Regexp(t, `of how many ports +3 or more of 3`, enough)
}
