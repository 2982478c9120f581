package site

import (
	"encoding/json"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/target/lint"
)

// moved moves a DSCP to another class in the map of a config_db.json.
func moved(t *testing.T, conf []byte, dscp, to int) []byte {
	t.Helper()
	var tables map[string]any
	require.NoError(t, json.Unmarshal(conf, &tables))
	for _, row := range tables["DSCP_TO_TC_MAP"].(map[string]any) {
		row.(map[string]any)[strconv.Itoa(dscp)] = strconv.Itoa(to)
	}
	out, err := json.MarshalIndent(tables, "", "    ")
	require.NoError(t, err)
	return out
}

// nic returns the output of mlnx_qos for a NIC with PFC on priority 3. Each priority has its default eight DSCP values, except the given
// ones.
func nic(moves map[int]int) string {
	rows := make([][]string, 8)
	for v := range 64 {
		prio, named := moves[v]
		if !named {
			prio = v / 8
		}
		rows[prio] = append(rows[prio], strconv.Itoa(v))
	}
	var b strings.Builder
	b.WriteString("$ mlnx_qos -i ens1f0\nDCBX mode: OS controlled\nPriority trust state: dscp\ndscp2prio mapping:\n")
	for prio, row := range rows {
		b.WriteString("\tprio:" + strconv.Itoa(prio) + " dscp:" + strings.Join(row, ",") + ",\n")
	}
	b.WriteString("PFC configuration:\n\tpriority    0   1   2   3   4   5   6   7\n\tenabled     0   0   0   1   0   0   0   0   \n")
	return b.String()
}

// A DSCP belongs to the lossless class if a quarter of the ports or switches map it there. Switches that contradict have the errors. A
// single switch adds no value to the class. If switches disagree, hosts decide.
func TestSortedByQuarter(t *testing.T) {
	written := sonicFiles(t)
	var switches []string
	for _, f := range written {
		if path.Base(f.Name) == "config_db.json" {
			switches = append(switches, path.Base(path.Dir(f.Name)))
		}
	}
	require.Len(t, switches, 4, switches)
	for name, c := range map[string]struct {
		dscp, to int
		at       []string
		hosts    map[int]int // DSCP by priority; nil: no host has a file
		in       bool        // the value is in the lossless class
	}{
		"at no switch":              {26, 1, nil, nil, true},
		"at one leaf":               {26, 1, []string{"leaf1"}, nil, true},
		"at both leaves":            {26, 1, []string{"leaf1", "leaf2"}, nil, true},
		"at both leaves, and hosts": {26, 1, []string{"leaf1", "leaf2"}, map[int]int{}, true},
		"at three, and hosts":       {26, 1, []string{"leaf1", "leaf2", "spine1"}, map[int]int{}, true},
		"a further one at a leaf":   {8, 3, []string{"leaf1"}, nil, false},
		"against hosts":             {8, 3, []string{"leaf1", "spine1"}, map[int]int{}, false},
	} {
		t.Run(name, func(t *testing.T) {
			files := slices.Clone(written)
			for i, f := range files {
				if path.Base(f.Name) == "config_db.json" && slices.Contains(c.at, path.Base(path.Dir(f.Name))) {
					files[i].Data = moved(t, f.Data, c.dscp, c.to)
				}
			}
			s, ds := Of(t.Context(), files, Options{Most: 1 << 20})
			require.Empty(t, ds)
			if c.hosts != nil {
				for _, d := range s.Judged.Fabric.Devices {
					if d.Host != nil {
						text := strings.Replace(nic(c.hosts), "ens1f0", d.Ports[0].Name, 1)
						files = append(files, lint.File{Name: path.Join("site", d.Name, "mlnx_qos.txt"), Data: []byte(text)})
					}
				}
				s, ds = Of(t.Context(), files, Options{Most: 1 << 20})
				require.Empty(t, ds)
			}
			has := false
			for _, g := range s.Judged.Fabric.CosGroups {
				for _, claim := range g.DSCP {
					has = has || g.Lossless && claim.Value == c.dscp
				}
			}
			require.Equal(t, c.in, has)
			if c.in {
				assert.Equal(t, c.at, slices.Sorted(maps.Keys(wrongAt(s, files))), "the switches that contradict")
			}
		})
	}
}

// wrongAt returns the devices at which an audit finds that a class is not lossless.
func wrongAt(s *Site, files []lint.File) map[string]bool {
	out := map[string]bool{}
	device := s.DeviceOf()
	found, _ := s.Judge(foundOf(files))
	for _, d := range found.Diags {
		if d.Severity == diag.Error && d.Code == "conf-fabric-lossless" {
			name, _ := device(d.At.Filename)
			out[name] = true
		}
	}
	return out
}
