package conflint_test

import (
	"bytes"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/cumulus/conflint"
	"github.com/rocec/rocec/targets/cumulus/grammar"
	"github.com/rocec/rocec/targets/target/lint"
)

// TestValuesAreTheGrammars: for every key of every dialect, the linter reports exactly the values that do not have the type in the
// grammar.
func TestValuesAreTheGrammars(t *testing.T) {
	values := strings.Split(`true FALSE "true" yes 0 1 7 8 63 64 100 101 127 128 2147483647 2147483648 -1 50.0 x dwrr 802.1p dscp none port `+
		`[] [_] [0] [0,_7] [8] [63] [64] [1,2,3] [5,9] [1-3] [4 4 [4_5] [,] [a,] [802.1p] [802.1p,dscp] [port] [DSCP] [a] [a,_b] `+
		`swp60 swp60,swp61-swp62 swp60s0-swp60s7 swp60s8 swp62-swp61 SWP60 eth0 allports [swp60] [swp60,swp61] é 18,000 "[0]" "`, " ")
	judged := 0
	for dialect, sound := range map[grammar.Dialects]string{
		grammar.T0: "t0.conf", grammar.T1: "t1-dscp.conf", grammar.T2: "t2.conf", grammar.T3: "t3-ports.conf", grammar.T4: "t4.conf",
		grammar.Q1: "q1", grammar.Q2: "q2", grammar.I1: "q1", grammar.I2: "q2", grammar.D: "t3-preset",
	} {
		owner := grammar.Files[slices.IndexFunc(grammar.Files, func(f string) bool { return grammar.OfFile(f)&dialect != 0 })]
		base := lint.File{Name: "etc/" + owner}
		for _, f := range read(t, filepath.Join("testdata", "sound", sound)) {
			if name := path.Base(f.Name); name == owner || strings.HasPrefix(name, "t") && owner == "traffic.conf" {
				base.Data = bytes.Replace(f.Data, []byte("packet_priority_source = 802.1p"), []byte("packet_priority_source = dscp"), 1)
			}
		}
		require.NotEmpty(t, base.Data, owner)
		first := bytes.Count(base.Data, []byte("\n")) + 2
		for i := range grammar.Keys() {
			k := &grammar.Keys()[i]
			if k.In&dialect == 0 || k.Hint || k.Aside {
				continue
			}
			for list := range slices.Chunk(values, map[bool]int{true: len(values), false: 1}[k.Grouped()]) { // a separate group for each value
				f := base
				for i, v := range list {
					f.Data = fmt.Appendf(slices.Clip(f.Data), "\n%s = %s", k.Spell(4, fmt.Sprint("group", i)), strings.ReplaceAll(v, "_", " "))
				}
				faults := map[int][]*diag.Diagnostic{}
				for _, d := range conflint.Check([]lint.File{f}).Diagnostics {
					if aboutValue(d) {
						faults[d.At.Start.Line] = append(faults[d.At.Start.Line], d)
					}
				}
				for i, v := range list {
					v = strings.ReplaceAll(v, "_", " ")
					judged++
					assert.Equal(t, k.Type.Takes(v, dialect), faults[first+i] == nil, "%s: %s = %s: %v", sound, k.Pattern, v, faults[first+i])
				}
			}
		}
	}
	require.Greater(t, judged, 10_000)
}

// aboutValue reports whether a finding is about a value that is not of its key's type.
func aboutValue(d *diag.Diagnostic) bool {
	switch d.Code {
	case "conf-value", "conf-port":
		return d.Severity != diag.Notice
	case "conf-weights":
		return strings.Contains(d.Detail, "It takes")
	case "conf-group-incomplete":
		return strings.Contains(d.Detail, "names no port")
	}
	return false
}
