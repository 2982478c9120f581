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

// TestGolden compares every dialect with its golden files, written from nothing and into the factory's file. It also reads each file back
// with independent rules.
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
		{"q1-v1-edit", "sn2700", "4.4.0", 1, "q1"},
		{"q1-v2-fresh", "sn2700", "4.4.0", 2, ""},
		{"q1-v2-edit", "sn2700", "4.4.0", 2, "q1"},
		{"q2-v2-fresh", "sn3700", "5.3.0", 2, ""},
		{"q2-v2-edit", "sn3700", "5.0.1", 2, "q2"},
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
			assert.Equal(t, isSplit(tt.version), r.plain == "0")
			if tt.roce == 1 {
				assert.Equal(t, "802.1p", r.trusted)
				assert.Equal(t, 4, r.pcp[4])
				assert.Equal(t, 5, r.pcp[3], "PCP 3 is neither lossless nor the CPU's")
			} else {
				want := "dscp"
				if tt.from == "t3" {
					want = "802.1p,dscp" // the factory's file of that release
				}
				assert.Equal(t, want, r.trusted)
				assert.Equal(t, 4, r.dscp[26])
				assert.Equal(t, 6, r.dscp[48])
				if everywhere := map[string]string{"": "[4]", "q1": "[0,4]"}; strings.HasPrefix(tt.version, "4.4") {
					assert.Equal(t, everywhere[tt.from], r.keys["default_ecn_conf.egress_queue_list"])
				} else {
					assert.Equal(t, []string{"swp1 4", "swp2 4", "swp3 4", "swp31 4", "swp32 4", "swp4 4"}, r.ports(r.ecn))
				}
			}
			for l := range strings.SplitSeq(strings.TrimSuffix(old, "\n"), "\n") {
				if strings.HasPrefix(l, "#") || l == "" {
					assert.Contains(t, "\n"+got, "\n"+l+"\n", "comments and empty lines stay")
				}
			}
		})
	}
}

// TestGoldenInfra compares the edited qos_infra.conf of the factory, and the sketch that build writes, with golden files.
func TestGoldenInfra(t *testing.T) {
	for _, tt := range []struct{ name, version string }{{"i1-edit", "4.4.0"}, {"i2-edit", "5.3.0"}} {
		files, ds := Target.Render(canonicalSample(t, "sn3700", tt.version, 2).sw)
		require.False(t, ds.HasErrors(), "%v", text(ds))
		infra := files[0]
		got, ds := infra.Edit([]byte(factoryFile(strings.TrimSuffix(tt.name, "-edit"))))
		require.Empty(t, text(ds))
		for file, content := range map[string][]byte{tt.name: got, strings.TrimSuffix(tt.name, "edit") + "sketch": infra.Sketch} {
			golden := filepath.Join("testdata", file+".conf")
			if *update {
				require.NoError(t, os.WriteFile(golden, content, 0o644))
			}
			want, err := os.ReadFile(golden)
			require.NoError(t, err, "run go test -update")
			assert.Equal(t, string(want), string(content))
		}
		again, _ := infra.Edit(got)
		assert.Equal(t, string(got), string(again), "editing twice")
		found, foreign := infra.Lint(got)
		assert.Empty(t, text(found))
		assert.Empty(t, foreign)

		// A value with the same meaning in another spelling stays as it is.
		kept := strings.NewReplacer("percent = 50.0", "percent = 50", "ALPHA_INFINITY", "15", "ALPHA_1\n", "8\n", "TRUE",
			"true").Replace(string(got))
		require.NotEqual(t, string(got), kept)
		again, _ = infra.Edit([]byte(kept))
		assert.Equal(t, kept, string(again))

		for _, bad := range []string{
			"", "other.setting = 7\n", "ingress_service_pool.0.percent = many\n", "flow_control.ingress_buffer.dynamic_quota = ALPHA_3\n", "\x00",
			"traffic.priority_group_list = [bulk,\n",
		} {
			out, ds := infra.Edit([]byte(bad))
			assert.Nil(t, out, "%q", bad)
			assert.Len(t, text(ds), 1, "%q", bad)
		}
	}
	for _, f := range []string{"4.4.0", "5.3.0"} { // without lossless traffic the memory does not change
		s := canonicalSample(t, "sn3700", f, 2)
		for _, p := range s.sw.Ports {
			p.SetBuffers(nil)
		}
		files, _ := Target.Render(s.sw)
		assert.NotContains(t, string(files[0].Sketch), "service_pool.1")
	}
}

// reader reads a classification file by the rules in the manuals, without any code of the package.
type reader struct {
	keys      map[string]string
	trusted   string
	pcp, dscp map[int]int
	ecn       string
	plain     string
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
	r.ecn, r.plain = "ecn", r.keys["traffic.port_default_priority"]
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

// ports returns "port cos" for every port of the listed groups of a feature, sorted, each at most once.
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
				cos := append(r.list(feature+"."+g+".cos_list"), r.list(feature+"."+g+".egress_queue_list")...)
				out = append(out, n+" "+strings.Join(cos, "+"))
			}
		}
	}
	sort.Strings(out)
	return out
}

// check checks the rules for every file that rocec writes.
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
	if r.plain == "" {
		assert.Len(t, seen, 8, "every cos is in a priority group")
	} else { // the groups are in qos_infra.conf, and queues have shares
		sum := 0
		for n := range 8 {
			percent, err := strconv.Atoi(r.keys[fmt.Sprintf("default_egress_sched.egr_queue_%d.bw_percent", n)])
			require.NoError(t, err)
			sum += percent
		}
		assert.Contains(t, []int{0, 100}, sum, "every queue has a share")
	}
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
