package forms

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/targets/judge"
	"github.com/rocec/rocec/targets/nic/sheets"
	"github.com/rocec/rocec/targets/target"
)

// A sheet of a host that rocec writes would repeat the content of the value files.
func TestSheetIsWhatApplyWrites(t *testing.T) {
	entries, err := os.ReadDir("../../../examples")
	require.NoError(t, err)
	seen := 0
	for _, e := range entries {
		f := judge.Judge(t.Context(), os.DirFS(filepath.Join("../../../examples", e.Name())), ".", judge.Options{})
		if f.Fabric == nil || f.Diags.HasErrors() {
			continue
		}
		for _, d := range f.Tree().Devices {
			if d.Role != target.Host {
				continue
			}
			parts := strings.Split(string(sheets.Of(d.Source)), "\n## ")
			for _, n := range d.Source.Host.NICs {
				i := slices.IndexFunc(parts, func(p string) bool { return strings.HasPrefix(strings.TrimPrefix(p, "## "), n.Name+" ") })
				if len(n.Carries()) == 0 {
					require.Negative(t, i)
					continue
				}
				if n.Can().NoPFC { // apply sets no priorities on this host
					continue
				}
				require.GreaterOrEqual(t, i, 0, n.Name)
				text := ""
				for file := range builtFor(d) {
					if file.Path == "/etc/rocec/host/"+n.Name+".conf" {
						text = string(render(d, file))
					}
				}
				value := map[string]string{}
				for line := range strings.Lines(text) {
					if key, v, ok := strings.Cut(strings.TrimSpace(line), "="); ok && !strings.HasPrefix(line, "#") {
						value[key] = v
					}
				}
				seen++
				eight := func(key string) []string { return strings.Split(value[key], ",") }
				for p := range 8 {
					const cells = `(?m)^\| %d \| [^|]+ \| ([^|]+) \| [^|]+ \| (on|off) \| class (\d): (?:(\d+) %% \(ETS\)|strict priority) \|$`
					row := regexp.MustCompile(fmt.Sprintf(cells, p)).FindStringSubmatch(parts[i])
					require.NotNil(t, row, parts[i])
					assert.Equal(t, strings.Replace(cmp.Or(value[fmt.Sprintf("dscp_prio%d", p)], "none"), "none", "-", 1), row[1])
					assert.Equal(t, map[string]string{"1": "on", "0": "off"}[eight("pfc")[p]], row[2])
					assert.Equal(t, eight("ets_tc")[p], row[3])
					tc, err := strconv.Atoi(row[3])
					require.NoError(t, err)
					assert.Equal(t, eight("ets_tsa")[tc] == "ets", row[4] != "")
					if row[4] != "" {
						assert.Equal(t, eight("ets_bw")[tc], row[4])
					}
					dcqcn := strings.Contains(parts[i], fmt.Sprintf("(DCQCN) on priority %d | on", p))
					assert.Equal(t, value[fmt.Sprintf("ecn_np_prio%d", p)] == "on", dcqcn)
				}
				if tos := value["tos"]; tos != "" {
					assert.Contains(t, parts[i], "(type of service "+tos+")")
				}
				if dscp := value["cnp_dscp"]; dscp != "" {
					assert.Contains(t, parts[i], fmt.Sprintf("| DSCP %s, priority %s |", dscp, value["cnp_prio"]))
				}
				if value["trust"] == "dscp" {
					assert.Contains(t, parts[i], "| DSCP of the IP header |")
				} else {
					assert.Contains(t, parts[i], "| PCP of the VLAN tag |")
				}
			}
		}
	}
	assert.Greater(t, seen, 50, "the walk has visited no host")
}
