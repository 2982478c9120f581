package sim

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/targets/cumulus/grammar"
)

// TestRefusesWhatTheGrammarDoesNotHave sets every key of traffic.conf in a file of the factory. Exactly the values without the type in the
// grammar are refused. An unknown key below a feature of traffic.conf is refused, and keys of other features are ignored.
func TestRefusesWhatTheGrammarDoesNotHave(t *testing.T) {
	values := strings.Fields(`true FALSE yes 0 1 7 8 63 64 100 101 127 128 2147483647 2147483648 -1 +1 50.0 x dwrr 802.1p dscp none port
		[] [0] [0,7] [8] [63] [64] [1,2,3] [5,9] [1-3] [4 4 [,] [a,] [802.1p] [802.1p,dscp] [port] [DSCP] [a] [a,b]
		swp60 swp60,swp61-swp62 swp60s0-swp60s7 swp60s8 swp62-swp61 SWP60 eth0 allports [swp60] é 18,000`)
	// These keys are checked together with other lines.
	together := []grammar.Meaning{grammar.Groups, grammar.PriorityGroups, grammar.MapTrusted}
	factory, err := filepath.Glob("../factory/t*.conf")
	require.NoError(t, err)
	require.Len(t, factory, 4)
	tried := 0
	for _, file := range factory {
		base, err := os.ReadFile(file)
		require.NoError(t, err)
		require.Empty(t, check(base, false), file)
		judged := func(f grammar.Feature) bool { return f.Known() && f.Dialects()&grammar.TrafficConf != 0 }
		refused := func(line string) []string { return check(append(slices.Clip(base), line+"\n"...), false) }
		for i := range grammar.Keys() {
			k := &grammar.Keys()[i]
			name := k.Spell(4, "grammar")
			for _, v := range values {
				tried++
				switch faults := refused(name + " = " + v); {
				case k.Aside && k.Could()&grammar.TrafficConf != 0:
					assert.Empty(t, faults, name)
				case k.Could()&grammar.TrafficConf == 0:
					below := judged(k.Feature())
					assert.Equal(t, below, len(faults) > 0, "%s of another file: %v", name, faults)
				case !k.Type.Takes(v, grammar.TrafficConf):
					assert.NotEmpty(t, faults, "%s: %s = %s", file, name, v)
				case !slices.Contains(together, k.Means):
					assert.Empty(t, faults, "%s: %s = %s", file, name, v)
				}
			}
		}
		for key, known := range map[string]bool{
			"pfc.a.xof_size": true, "traffic.cos_8.packet_priorities": true, "pfc": true, "priority_group.a.b.c": true,
			"sflow.rate": false, "dos_enable": false, "PFC.port_group_list": false, "flow_control.x": false, "hash_config.x": false,
		} {
			assert.Equal(t, known, len(refused(key+" = 1")) > 0, key)
		}
	}
	require.Greater(t, tried, 10_000)
	assert.Len(t, check([]byte(strings.Repeat("#", grammar.MaxFile+1)), true), 1)
	assert.NotEmpty(t, check([]byte("traffic.packet_priority_source = 802.1p\ntraffic.cos_1.packet_priorities = [26]\n"), false), "no PCP")
	assert.Empty(t, check([]byte("traffic.packet_priority_source = dscp\ntraffic.cos_1.packet_priorities = [26]\n"), false))
}
