package cumulus

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/langtest/machinetest"
	"github.com/rocec/rocec/targets/cumulus/grammar"
	"github.com/rocec/rocec/targets/cumulus/steps"
	"github.com/rocec/rocec/targets/target"
)

// TestRandomSwitches renders switches with any groups, sizes and ports, from nothing and into the file of the factory, and reads the
// result back. The result obeys every rule, and protects exactly the lossless classes of the fabric, with at least the stated headroom.
func TestRandomSwitches(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		version := rapid.SampledFrom([]string{"3.1.2", "3.4.3", "3.7.16", "4.1.1", "4.3.0", "4.4.0", "5.0.1", "5.3.0"}).Draw(rt, "version")
		model := rapid.SampledFrom([]string{"sn2700", "z9100"}).Draw(rt, "model")
		if isSplit(version) {
			model = "sn2700"
		}
		roce := rapid.IntRange(1, 2).Draw(rt, "roce")
		s := newSample(t, model, version)
		cos := rapid.Permutation([]int{0, 1, 2, 4, 5, 6, 7}).Draw(rt, "cos")[:rapid.IntRange(1, 4).Draw(rt, "groups")]
		slices.Sort(cos)
		var groups []*ir.CosGroup
		for i, c := range cos {
			g := ir.CosGroup{
				Name: fmt.Sprintf("g%d", c), Cos: c, Lossless: i == 0 || rapid.Bool().Draw(rt, "lossless"),
				Weight: rapid.IntRange(0, 100).Draw(rt, "weight"),
			}
			if roce == 2 {
				g.DSCP, g.ECN = claims(8*c+1), &ir.ECN{}
			}
			groups = append(groups, s.group(g))
		}
		in := s.intent("x", roce, groups[0], nil)
		ports := rapid.SliceOfNDistinct(rapid.IntRange(1, 32), 1, 12, func(n int) int { return n }).Draw(rt, "ports")
		type sizes struct{ size, xoff, delta int }
		choices := []sizes{{70000, 18000, 2000}, {50000, 12000, 0}, {123456, 20000, 19999}}
		for _, n := range ports {
			name := grammar.Port{N: n, Sub: -1}.String()
			if rapid.Bool().Draw(rt, "split") {
				name = grammar.Port{N: n, Sub: rapid.IntRange(0, 3).Draw(rt, "part")}.String()
			}
			p := s.cable(name, float64(rapid.IntRange(0, 40).Draw(rt, "metres")), in)
			for _, g := range groups {
				if g.Lossless && rapid.Bool().Draw(rt, "carries") {
					c := rapid.SampledFrom(choices).Draw(rt, "sizes")
					carry(p, g, c.size, c.xoff, c.delta)
				}
				if g.ECN != nil && rapid.Bool().Draw(rt, "marks") && (model == "sn2700" || version != "3.1.2") {
					marked(p, g, 150000, 1500000, 100)
				}
			}
		}
		edit := s.file(t)
		_, doc, _ := documented(version)
		for _, old := range []string{"", factoryFile(doc.Dialect())} {
			got := edit(old)
			r := readBack(t, got)
			r.check(t)
			var wantPFC, wantECN []string
			for _, p := range s.sw.Ports {
				if len(p.Buffers()) > 0 {
					wantPFC = append(wantPFC, p.Name+" "+cosOf(p.Buffers(), func(b *ir.Buffer) int { return b.Group.Cos }))
				}
				if len(p.Marks()) > 0 {
					wantECN = append(wantECN, p.Name+" "+cosOf(p.Marks(), func(m *ir.Mark) int { return m.Group.Cos }))
				}
			}
			slices.Sort(wantPFC)
			slices.Sort(wantECN)
			require.Equal(t, wantPFC, r.ports("pfc"))
			if version == "4.4.0" { // it marks on every port
				var queues []int
				for _, p := range s.sw.Ports {
					for _, m := range p.Marks() {
						queues = append(queues, m.Group.Cos)
					}
				}
				if old != "" && !slices.Contains(cos, 0) {
					queues = append(queues, 0) // the factory's queue, which no group has
				}
				slices.Sort(queues)
				stated := len(queues) > 0 || old != ""
				require.Equal(t, stated, r.keys["default_ecn_conf.egress_queue_list"] != "")
				if stated {
					require.Equal(t, list(slices.Compact(queues)), r.keys["default_ecn_conf.egress_queue_list"])
				}
			} else {
				require.Equal(t, wantECN, r.ports(r.ecn))
			}
			for _, p := range s.sw.Ports {
				r.enough(t, p)
			}
			understood(t, s.sw, got)
		}
	})
}

// understood compares the meaning of the file with the fabric: the same pauses, enough headroom, and every mark.
func understood(t *testing.T, d *ir.Device, got string) {
	t.Helper()
	rel, _, _ := documented(d.Switch.Version)
	contents := map[string][]byte{confPath(rel): []byte(got)}
	if spelling, ok := grammar.Infra(rel); ok {
		contents[infraPath] = []byte(factoryFile(spelling.Dialect()))
	}
	u := Understand(target.Identity{Release: d.Switch.Version, Model: d.Switch.Model.Name}, contents)
	require.True(t, u.Coverage.Whole(), "%v", u.Coverage.Not)
	wanted := d.Wanted()
	for _, p := range d.Ports {
		want, have := wanted.Port(p.Name), u.Settings.Port(p.Name)
		require.Equal(t, [2]uint8{want.Sends, want.Obeys}, [2]uint8{have.Sends, have.Obeys})
		require.True(t, have.TrustKnown && have.PausesKnown)
		require.GreaterOrEqual(t, have.Headroom, want.Headroom)
		require.Zero(t, want.Marks&^have.Marks)
		for cos, group := range have.Detail.Get().Group {
			if lossless := want.Sends>>cos&1 == 1; lossless && group >= 0 {
				require.Equal(t, ir.Of(true), have.Detail.Get().Groups[group].Lossless)
			}
		}
	}
}

func cosOf[T any](list []T, cos func(T) int) string {
	var out []string
	for _, x := range list {
		out = append(out, strconv.Itoa(cos(x)))
	}
	return strings.Join(out, "+")
}

// enough checks that a port's buffer is large enough for its groups. It checks a chip with one priority group for all lossless cos of the
// port, and a chip with a priority group for each.
func (r *reader) enough(t require.TestingT, p *ir.Port) {
	headroom, one := 0, 0
	for _, b := range p.Buffers() {
		headroom += b.Headroom()
		one = max(one, b.Size.N)
	}
	if one == 0 {
		return
	}
	for _, g := range r.list("pfc.port_group_list") {
		if !slices.Contains(grammar.Expand(r.keys["pfc."+g+".port_set"]), p.Name) {
			continue
		}
		size, _ := strconv.Atoi(r.keys["pfc."+g+".port_buffer_bytes"])
		xoff, _ := strconv.Atoi(r.keys["pfc."+g+".xoff_size"])
		require.GreaterOrEqual(t, size-xoff, headroom, "one group for all")
		require.GreaterOrEqual(t, size-len(p.Buffers())*xoff, headroom, "a group for each")
		return
	}
	require.Fail(t, "no port group", "%s", p.Name)
}

// TestPrecheck runs the syntax check with checkers that accept and refuse the file, and without a checker.
func TestPrecheck(t *testing.T) {
	machinetest.Need(t, "timeout") // which the check calls
	sh, err := exec.LookPath("sh")
	require.NoError(t, err)
	candidate := filepath.Join(t.TempDir(), "traffic.conf")
	for name, tt := range map[string]struct {
		checker string
		status  int
		says    string
	}{
		"agrees":           {`echo "No errors detected in traffic config file $3"`, 0, ""},
		"disagrees":        {`echo "Traffic source 8021p: missing mapping for priority value '7'" >&2; echo "Errors detected while checking traffic config file $3"`, 1, "missing mapping"},
		"fails but agrees": {`echo "No errors detected in traffic config file $3"; exit 3`, 0, ""},
		"says nothing":     {`true`, 1, "says nothing of the new file (exit status 0)"},
		"fails in silence": {`exit 1`, 1, "says nothing of the new file (exit status 1)"},
		"is not there":     {"", 0, ""},
	} {
		t.Run(name, func(t *testing.T) {
			bin := t.TempDir()
			if tt.checker != "" {
				script := "#!" + sh + "\n[ \"$1 $2\" = \"--datapath-syntax-check -t\" ] || exit 9\n" + tt.checker + "\n"
				require.NoError(t, os.WriteFile(filepath.Join(bin, "cl-consistency-check"), []byte(script), 0o755))
			}
			cmd := exec.Command(sh, "-c", steps.Traffic.Cmd, "sh", candidate)
			cmd.Env = []string{"PATH=" + bin + ":" + os.Getenv("PATH")}
			out, err := cmd.CombinedOutput()
			assert.Equal(t, tt.status, cmd.ProcessState.ExitCode(), "%v: %s", err, out)
			assert.Contains(t, string(out), tt.says)
		})
	}
}
