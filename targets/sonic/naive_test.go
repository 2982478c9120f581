package sonic_test

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/sonic"
)

// naive is a state or a document as plain maps, read only with strconv or encoding/json.
type naive map[string]map[string]map[string]string

// rowsOf reads the lines of a state.
func rowsOf(t *testing.T, text string) naive {
	n := naive{}
	for line := range strings.Lines(text) {
		where, value, has := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		table, key, ok := strings.Cut(where, "|")
		require.True(t, ok, line)
		if n[table] == nil {
			n[table] = map[string]map[string]string{}
		}
		if n[table][key] == nil {
			n[table][key] = map[string]string{}
		}
		if !has {
			continue
		}
		field, quoted, _ := strings.Cut(value, " ")
		said, err := strconv.Unquote(quoted)
		require.NoError(t, err, line)
		n[table][key][field] = said
	}
	return n
}

// walk follows every packet of every intent into a switch, and compares each step with the packet's cos group.
func walk(t *testing.T, d *ir.Device, n naive) (packets int) {
	for _, p := range d.Ports {
		row := n["PORT_QOS_MAP"][p.Name]
		for _, in := range p.Entering() {
			tc := "0"
			switch {
			case in.Version == 2 && row["dscp_to_tc_map"] != "" && row["dot1p_to_tc_map"] == "":
				dscp := 0
				if len(in.Group.DSCP) > 0 {
					dscp = in.Group.DSCP[0].Value
				}
				tc = n["DSCP_TO_TC_MAP"][row["dscp_to_tc_map"]][strconv.Itoa(dscp)]
			case in.VLAN > 0 && row["dot1p_to_tc_map"] != "" && row["dscp_to_tc_map"] == "":
				tc = n["DOT1P_TO_TC_MAP"][row["dot1p_to_tc_map"]][strconv.Itoa(in.Group.Cos)]
			}
			packets++
			require.Equal(t, strconv.Itoa(in.Group.Cos), tc, "%s: %s", p, in.Name)
			pg := n["TC_TO_PRIORITY_GROUP_MAP"][row["tc_to_pg_map"]][tc]
			queue := n["TC_TO_QUEUE_MAP"][row["tc_to_queue_map"]][tc]
			require.NotEmpty(t, queue)
			q := n["QUEUE"][p.Name+"|"+queue]
			require.Equal(t, in.Group.Strict, n["SCHEDULER"][q["scheduler"]]["type"] == "STRICT")
			lossless := p.Carries(in.Group) != nil
			require.Equal(t, lossless, strings.Contains(row["pfc_enable"], tc))
			require.Equal(t, row["pfc_enable"], row["pfcwd_sw_enable"])
			if lossless {
				require.Equal(t, tc, pg)
				require.Equal(t, queue, n["MAP_PFC_PRIORITY_TO_QUEUE"][row["pfc_to_queue_map"]][tc])
				require.NotEmpty(t, n["PFC_WD"][p.Name]["action"])
				metres, err := strconv.Atoi(strings.TrimSuffix(n["CABLE_LENGTH"]["AZURE"][p.Name], "m"))
				require.NoError(t, err)
				require.GreaterOrEqual(t, float64(metres), p.Link().Length.Metres)
			} else {
				require.Equal(t, "0", pg)
			}
			for _, m := range p.Marks() {
				if m.Group != in.Group {
					continue
				}
				w := n["WRED_PROFILE"][q["wred_profile"]]
				require.Equal(t, "ecn_all", w["ecn"])
				require.Equal(t, strconv.Itoa(m.Min.N), w["green_min_threshold"])
				require.Equal(t, strconv.Itoa(m.Max.N), w["green_max_threshold"])
				require.Equal(t, strconv.Itoa(m.Probability.N), w["green_drop_probability"])
			}
		}
		if table := n["DSCP_TO_TC_MAP"][row["dscp_to_tc_map"]]; row["dscp_to_tc_map"] != "" {
			require.Len(t, table, 64)
			for v, tc := range table {
				claimed := slices.ContainsFunc(d.Fabric.CosGroups, func(g *ir.CosGroup) bool {
					return slices.ContainsFunc(g.DSCP, func(c ir.Claim) bool { return strconv.Itoa(c.Value) == v })
				})
				require.True(t, claimed || !strings.Contains(row["pfc_enable"], tc), "unclaimed DSCP %s is lossless", v)
			}
		}
	}
	return packets
}

// TestWalk: by the text alone, every switch handles packets as their cos groups require. The text is written from nothing, or over a
// template.
func TestWalk(t *testing.T) {
	packets := 0
	for _, d := range everything(t, "202511") {
		w, _ := sonic.For(d)
		fresh := edit(t, w, "")
		var doc naive
		require.NoError(t, json.Unmarshal([]byte(document(t, w, fresh)), &doc))
		require.Equal(t, rowsOf(t, fresh), doc, "the document of a state written from nothing is that state")
		packets += walk(t, d, doc)
		if speed, same := speeds(d); same {
			b := boxes(d)["template"]
			b.speed, b.lookup = speed, []string{"5m", "40m", "300m", "2000m"}
			packets += walk(t, d, rowsOf(t, edit(t, w, b.state())))
		}
	}
	require.Greater(t, packets, 100)
}
