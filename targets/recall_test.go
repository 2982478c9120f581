package targets_test

import (
	"errors"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"mvdan.cc/sh/v3/syntax"
	"pgregory.net/rapid"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets"
	"github.com/rocec/rocec/targets/commands"
	cumulus "github.com/rocec/rocec/targets/cumulus/steps"
	"github.com/rocec/rocec/targets/judge"
	nvue "github.com/rocec/rocec/targets/nvue/steps"
	sonic "github.com/rocec/rocec/targets/sonic/steps"
	"github.com/rocec/rocec/targets/target"
)

// cellar keeps contents by their SHA-256.
type cellar map[string][]byte

func (c cellar) keep(contents ...[]byte) {
	for _, content := range contents {
		c[commands.Sum(content)] = content
	}
}

func (c cellar) get(sum string) ([]byte, error) {
	if content, ok := c[sum]; ok {
		return content, nil
	}
	return nil, errors.New("it is not kept")
}

// stepsAlone are the packages of the standard library alone that make the commands of targets, by the first word of a name.
var stepsAlone = map[string]func(words []string, stdin []byte) (*commands.Made, error){
	"cumulus": cumulus.Recall,
	"nvue":    nvue.Recall,
	"sonic":   sonic.Recall,
}

// takesAll matches the patch that removes a whole tree.
var takesAll = regexp.MustCompile(`(?m)^- unset:\n(    qos:\n)?    interface:\n(    qos:\n)?\z`)

// alone checks that the package of the standard library alone makes the same commands as the target.
func alone(t require.TestingT, made *target.Made, name, stdin string) {
	words := strings.Split(name, " ")
	recall := stepsAlone[words[0]]
	if recall == nil {
		return
	}
	got, err := recall(words[1:], []byte(stdin))
	if err != nil && takesAll.MatchString(stdin) { // no change of rocec's is such a patch, but one that removes a whole tree
		return
	}
	require.NoError(t, err, name)
	require.Equal(t, made.Commands(), got)
}

// recalls checks that every named part of a file can be made again from its name.
func recalls(t require.TestingT, d *target.Device, f *target.File) {
	kept := cellar{}
	step := func(s target.Step) {
		if s.Cmd == "" {
			return
		}
		made, err := targets.Recall(s.Name, kept.get)
		require.NoError(t, err, "%s %s", d.Name, s.Name)
		require.Equal(t, &target.Made{Step: &s}, made)
		alone(t, made, s.Name, s.Stdin)
	}
	step(f.Activate)
	if f.Live != nil {
		made, err := targets.Recall(f.Live.Name, kept.get)
		require.NoError(t, err, "%s %s", d.Name, f.Live.Name)
		require.Equal(t, &target.Made{Query: f.Live}, made)
		alone(t, made, f.Live.Name, "")
	}
	require.Equal(t, f.Precheck != "", f.PrecheckName != "")
	if f.Precheck != "" {
		made, err := targets.Recall(f.PrecheckName, kept.get)
		require.NoError(t, err)
		require.Equal(t, &target.Made{Check: f.Precheck}, made)
		alone(t, made, f.PrecheckName, "")
	}
	if f.Choose == nil {
		return
	}
	whole, ds := f.Edit(nil)
	if ds.HasErrors() {
		whole = nil
	}
	image := []byte(d.Target.Image(d.Source).Files[f.Path])
	edited, ds := f.Edit(image)
	if ds.HasErrors() {
		edited = whole
	}
	kept.keep(whole, image, edited)
	if f.Live == nil && d.Target.Name == "cumulus" {
		for _, path := range append([]string{f.Path}, f.Places...) {
			for _, content := range [][]byte{whole, image, edited} {
				require.NoError(t, cumulus.File(path, content), path)
			}
		}
	}
	for _, ways := range [][2][]byte{{nil, whole}, {image, edited}, {whole, image}, {edited, whole}} {
		s, _ := f.Choose(ways[0], ways[1], nil)
		step(s)
	}
}

// TestRecall: every step, query and checker that a target makes for any fabric is made again, the same, from its name alone.
func TestRecall(t *testing.T) {
	everyFile(t, func(t *testing.T, d *target.Device, file target.File) { recalls(t, d, &file) })
	entries, err := os.ReadDir("../examples")
	require.NoError(t, err)
	for _, e := range entries {
		if !e.IsDir() {
			continue
		}
		j := judge.Judge(t.Context(), os.DirFS("../examples"), e.Name(), judge.Options{})
		if j.Fabric == nil || j.Diags.HasErrors() || testing.Short() && len(j.Fabric.Devices) > 100 {
			continue
		}
		for _, d := range j.Tree().Devices {
			for i := range d.Files {
				recalls(t, d, &d.Files[i])
			}
		}
	}
	rapid.Check(t, func(rt *rapid.T) {
		g := &gen{T: rt, wild: true}
		j := judged(rt, g.fabric())
		if j.Diags.HasErrors() {
			return
		}
		for _, d := range j.Tree().Devices {
			for i := range d.Files {
				recalls(rt, d, &d.Files[i])
			}
		}
	})
}

// TestRecallLeavings: the same for files that remove leavings of a host, for every answer of the host.
func TestRecallLeavings(t *testing.T) {
	line := rapid.OneOf(
		rapid.StringMatching(`nic [!-~]{1,16}`), rapid.StringMatching(`(at |\t)(bond|vlan|vf_roce_[0-9]{1,5}|pfc)=[ -~]{0,16}`),
		rapid.SampledFrom([]string{
			"nic ens1f0", "nic ens1f1", "at vlan=100", "at bond=bond0", "\tvlan=100", "\tpfc=0,0,0,0,0,0,0,0", "at vf_roce_3=on", "nic a'b;$(c)",
			"file /usr/local/sbin/rocec-host", "nic a,b=c%|", "at bond=b'0",
		}))
	rapid.Check(t, func(rt *rapid.T) {
		answer := strings.Join(rapid.SliceOfN(line, 0, 12).Draw(rt, "lines"), "\n")
		for _, l := range goneHost(t) {
			for _, f := range l.Files([]byte(answer)) {
				recalls(rt, &target.Device{Name: "gone"}, &f)
			}
		}
	})
}

func goneHost(t *testing.T) []*target.Cleanup {
	t.Helper()
	tree := targets.All.Gone(&ir.Fabric{}, []string{"gone"})
	require.Len(t, tree.Devices, 1)
	require.NotEmpty(t, tree.Devices[0].Cleanups)
	return tree.Devices[0].Cleanups
}

// TestRecallNothingElse: a name that no target makes, or with another spelling, is unknown.
func TestRecallNothingElse(t *testing.T) {
	sum := commands.Sum([]byte("x"))
	for _, name := range []string{
		"", " ", "cumulus", "cumulus ", "cumulus restart ", " cumulus restart", "cumulus  restart", "cumulus restart x", "cumulus\trestart",
		"cumulus restart\n", "Cumulus restart", "rm -rf /", "nvue patch x y", "nvue patch " + sum, "nvue tree x",
		"nvue patch " + strings.ToUpper(sum) + " " + sum, "sonic patch 202505 nvidia " + sum, "sonic patch $(x) nvidia " + sum + " " + sum,
		"mlx5 apply", "mlx5 apply ens1f0;x", "mlx5 apply $(x)", "mlx5 apply ens1f0,vlan=0100", "mlx5 apply ens1f0,vlan=0",
		"mlx5 apply ens1f0,vlan=5000", "mlx5 apply ens1f0 ens1f0", "mlx5 apply ens1f0,taken", "mlx5 apply a/b", "mlx5 apply ..",
		"mlx5 apply %2E%2E",
		"mlx5 apply %41", "mlx5 apply %2f", "mlx5 apply ens1f0,", "mlx5 apply ,vlan=1", "mlx5 show ens1f0,vlan_ip=10.0.0.1", "mlx5 show a b",
		"mlx5 show ens1f0,vf_roce_03=on", "mlx5 show ens1f0,vf_roce_3=yes", "mlx5 show ens1f0,x=y", "mlx5 restore ens1f0",
		"mlx5 show ens1f0,vlan=100;x", "mlx5 apply aaaaaaaaaaaaaaaaa", "back", strings.Repeat("a", commands.MostName+1),
	} {
		_, err := targets.Recall(name, cellar{sum: []byte("x")}.get)
		require.Error(t, err, "%q", name)
	}
	_, err := targets.Recall("nvue patch "+sum+" "+sum, cellar{}.get)
	require.ErrorContains(t, err, "it is not kept")
	_, err = targets.Recall("nvue patch "+sum+" "+sum, cellar{sum: []byte("y")}.get)
	require.ErrorContains(t, err, "is not the one with the SHA-256")
}

var outside = regexp.MustCompile(`[^A-Za-z0-9_.:/@,%=-]`)

// FuzzRecall: for any name and any contents, Recall returns only results that a target makes under exactly that name. A script contains a
// byte of the name that a shell could interpret only inside a quoted word.
func FuzzRecall(f *testing.F) {
	for _, name := range []string{
		"cumulus restart", "nvue patch", "sonic rows", "mlx5 apply ens1f0,carries,vlan=100 ens1f1", "rxe leave a%27b%3B%24%28c%29,plain,vlan=7",
		"bnxt show a%24b,bond=b%27%22,vlan=4094,vlan_ip=2001:db8::1/64,vf_roce_0=on", "mlx4 look %60x%60", "cumulus check-infra",
		"nvue patch " + commands.Sum([]byte("a")) + " " + commands.Sum([]byte("a")),
		"sonic patch 202505 nvidia " + commands.Sum([]byte("a")) + " " + commands.Sum([]byte("a")),
	} {
		f.Add(name, []byte("a"))
	}
	f.Fuzz(func(t *testing.T, name string, content []byte) {
		made, err := targets.Recall(name, func(sum string) ([]byte, error) { return cellar{commands.Sum(content): content}.get(sum) })
		if err != nil {
			return
		}
		if made.Check != "" {
			require.Contains(t, []string{"cumulus check-traffic", "cumulus check-features", "cumulus check-infra"}, name)
			return
		}
		require.Equal(t, name, made.Name())
		for _, cmd := range commandsOf(made) {
			_, err := syntax.NewParser(syntax.Variant(syntax.LangPOSIX)).Parse(strings.NewReader(cmd), "")
			require.NoError(t, err, cmd)
			for word := range strings.FieldsFuncSeq(name, func(r rune) bool { return r == ' ' || r == ',' }) {
				_, value, is := strings.Cut(word, "=")
				if !is {
					value = word
				}
				if value, _ = commands.Spelled(value); !outside.MatchString(value) {
					continue
				}
				quoted := strings.ReplaceAll(value, "'", `'\''`)
				for rest := cmd; ; {
					before, after, found := strings.Cut(rest, quoted)
					if !found {
						assert.NotContains(t, rest, value)
						break
					}
					require.Equal(t, 1, strings.Count(strings.ReplaceAll(before, `\'`, ""), "'")%2, "%q is not quoted in %s", value, cmd)
					rest = "'" + after
				}
			}
		}
	})
}

func commandsOf(m *target.Made) (out []string) {
	for _, q := range []*target.Query{m.Query} {
		if q != nil {
			out = append(out, q.Cmd)
		}
	}
	if s := m.Step; s != nil {
		out = append(out, s.Cmd)
		for _, q := range []*target.Query{s.Undo, s.Loaded, s.Back} {
			if q != nil {
				out = append(out, q.Cmd)
			}
		}
	}
	return out
}
