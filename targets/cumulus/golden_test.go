package cumulus

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// TestGolden holds every dialect to its golden files, from nothing and from the file of the factory, and reads each
// one back by rules of its own.
func TestGolden(t *testing.T) {
	tests := []struct {
		name, model, version string
		roce                 int
		from                 string // the dialect of the file on the switch; empty: none
	}{
		{"t1-v1-fresh", "sn2700", "3.4.3", 1, ""},
		{"t1-v1-edit", "sn2700", "3.4.3", 1, "t1"},
		{"t1-v2-fresh", "sn2700", "3.4.3", 2, ""},
		{"t1-v2-edit", "sn2700", "3.4.3", 2, "t1"},
		{"t1-3.1-fresh", "sn2700", "3.1.2", 2, ""},
		{"t2-v1-edit", "sn2700", "3.4.3", 1, "t2"},
		{"t2-v2-edit", "sn2700", "3.4.3", 2, "t2"},
		{"t3-v2-fresh", "sn2700", "3.7.16", 2, ""},
		{"t3-v2-edit", "sn2700", "3.7.16", 2, "t3"},
		{"t4-4.1-fresh", "sn2700", "4.1.1", 2, ""},
		{"t4-v2-fresh", "sn2700", "4.3.0", 2, ""},
		{"t4-v2-edit", "sn2700", "4.3.0", 2, "t4"},
		{"t4-trident3-v1-edit", "as7726-32x", "4.3.0", 1, "t4"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			edit := canonicalSample(t, tt.model, tt.version, tt.roce).file(t)
			old := ""
			if tt.from != "" {
				old = factoryFile(tt.from)
			}
			got := edit(old)
			golden := filepath.Join("testdata", tt.name+".conf")
			if *update {
				require.NoError(t, os.WriteFile(golden, []byte(got), 0o644))
			}
			want, err := os.ReadFile(golden)
			require.NoError(t, err, "run go test -update")
			assert.Equal(t, string(want), got)
			assert.Equal(t, got, edit(got), "editing twice")

			r := readBack(t, got)
			r.check(t)
			assert.Equal(t, []string{"swp1 4", "swp2 4", "swp3 4", "swp31 4", "swp32 4", "swp4 4"}, r.ports("pfc"))
			if tt.roce == 1 {
				assert.Equal(t, "802.1p", r.trusted)
				assert.Equal(t, 4, r.pcp[4])
				assert.Equal(t, 5, r.pcp[3], "PCP 3 is neither lossless nor the CPU's")
			} else {
				want := "dscp"
				if tt.from == "t3" {
					want = "802.1p,dscp" // as that release has it from the factory
				}
				assert.Equal(t, want, r.trusted)
				assert.Equal(t, 4, r.dscp[26])
				assert.Equal(t, 6, r.dscp[48])
				assert.Equal(t, []string{"swp1 4", "swp2 4", "swp3 4", "swp31 4", "swp32 4", "swp4 4"}, r.ports(r.ecn))
			}
			for l := range strings.SplitSeq(strings.TrimSuffix(old, "\n"), "\n") {
				if strings.HasPrefix(l, "#") || l == "" {
					assert.Contains(t, "\n"+got, "\n"+l+"\n", "comments and empty lines stay")
				}
			}
		})
	}
}

// reader reads a traffic.conf without any code of the package, by the rules the manuals state.
type reader struct {
	keys      map[string]string
	trusted   string
	pcp, dscp map[int]int
	ecn       string
}

func readBack(t *testing.T, conf string) *reader {
	t.Helper()
	r := &reader{keys: map[string]string{}, pcp: map[int]int{}, dscp: map[int]int{}}
	for n, l := range strings.Split(conf, "\n") {
		l, _, _ = strings.Cut(l, "#")
		if strings.TrimSpace(l) == "" {
			continue
		}
		k, v, ok := strings.Cut(l, "=")
		require.True(t, ok, "line %d: %q", n+1, l)
		k, v = strings.TrimSpace(k), strings.TrimSpace(v)
		require.NotContains(t, r.keys, k, "set twice")
		r.keys[k] = v
	}
	if v, ok := r.keys["traffic.packet_priority_source"]; ok {
		r.trusted = v
		require.NotContains(t, r.keys, "traffic.packet_priority_source_set")
	} else {
		r.trusted = strings.Trim(r.keys["traffic.packet_priority_source_set"], "[]")
	}
	for cos := range 8 {
		base := fmt.Sprintf("traffic.cos_%d.", cos)
		for suffix, to := range map[string]map[int]int{
			"packet_priorities": r.pcp, "packet_priorities.8021p": r.pcp, "priority_source.8021p": r.pcp,
			"packet_priorities.dscp": r.dscp, "priority_source.dscp": r.dscp,
		} {
			if suffix == "packet_priorities" && r.trusted == "dscp" {
				to = r.dscp
			}
			for _, v := range r.list(base + suffix) {
				n, err := strconv.Atoi(v)
				require.NoError(t, err)
				require.NotContains(t, to, n, "%s%s maps %d again", base, suffix, n)
				to[n] = cos
			}
		}
	}
	r.ecn = "ecn"
	if _, ok := r.keys["ecn_red.port_group_list"]; ok {
		r.ecn = "ecn_red"
		require.NotContains(t, r.keys, "ecn.port_group_list")
	}
	return r
}

func (r *reader) list(key string) []string {
	v := strings.TrimSpace(strings.Trim(r.keys[key], "[]"))
	if v == "" {
		return nil
	}
	out := strings.Split(v, ",")
	for i := range out {
		out[i] = strings.TrimSpace(out[i])
	}
	return out
}

// ports gives "port cos" for every port of the listed groups of a feature, sorted, and each at most once.
func (r *reader) ports(feature string) []string {
	var out []string
	for _, g := range r.list(feature + ".port_group_list") {
		for item := range strings.SplitSeq(r.keys[feature+"."+g+".port_set"], ",") {
			a, b, ranged := strings.Cut(item, "-")
			names := []string{a}
			if ranged {
				names = nil
				prefix := a[:strings.LastIndexAny(a, "ps")+1]
				from, _ := strconv.Atoi(strings.TrimPrefix(a, prefix))
				to, _ := strconv.Atoi(strings.TrimPrefix(b, prefix))
				for n := from; n <= to; n++ {
					names = append(names, prefix+strconv.Itoa(n))
				}
			}
			for _, n := range names {
				out = append(out, n+" "+strings.Join(r.list(feature+"."+g+".cos_list"), "+"))
			}
		}
	}
	sort.Strings(out)
	return out
}

// check holds a file to the rules every traffic.conf of ours obeys.
func (r *reader) check(t *testing.T) {
	t.Helper()
	for field := range strings.SplitSeq(r.trusted, ",") {
		switch strings.TrimSpace(field) {
		case "802.1p":
			assert.Len(t, r.pcp, 8, "every PCP is mapped")
		case "dscp":
			assert.Len(t, r.dscp, 64, "every DSCP is mapped")
		default:
			t.Errorf("trusted field %q", field)
		}
	}
	seen := map[string]bool{}
	for _, pg := range r.list("traffic.priority_group_list") {
		for _, c := range r.list("priority_group." + pg + ".cos_list") {
			assert.False(t, seen[c], "cos %s is in two priority groups", c)
			seen[c] = true
		}
		w, err := strconv.Atoi(r.keys["priority_group."+pg+".weight"])
		assert.NoError(t, err)
		assert.True(t, w >= 0 && w <= 127)
	}
	assert.Len(t, seen, 8, "every cos is in a priority group")
	for _, feature := range []string{"pfc", "link_pause"} {
		for _, g := range r.list(feature + ".port_group_list") {
			at := feature + "." + g + "."
			size, err1 := strconv.Atoi(r.keys[at+"port_buffer_bytes"])
			xoff, err2 := strconv.Atoi(r.keys[at+"xoff_size"])
			delta, err3 := strconv.Atoi(r.keys[at+"xon_delta"])
			require.NoError(t, err1)
			require.NoError(t, err2)
			require.NoError(t, err3)
			assert.True(t, 0 <= delta && delta < xoff && xoff < size, "%s: %d %d %d", g, size, xoff, delta)
			assert.Equal(t, "true", r.keys[at+"tx_enable"])
			assert.Equal(t, "true", r.keys[at+"rx_enable"])
			assert.NotEmpty(t, r.keys[at+"port_set"])
		}
	}
	for _, feature := range []string{"pfc", "link_pause", r.ecn} {
		once := map[string]bool{}
		for _, pc := range r.ports(feature) {
			p, _, _ := strings.Cut(pc, " ")
			assert.False(t, once[p], "%s is in two groups of %s", p, feature)
			once[p] = true
		}
	}
}
