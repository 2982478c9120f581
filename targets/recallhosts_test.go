package targets_test

import (
	"bytes"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/rocec/rocec/targets"
	"github.com/rocec/rocec/targets/commands"
	"github.com/rocec/rocec/targets/judge"
	bnxt "github.com/rocec/rocec/targets/nic/bnxt/steps"
	ice "github.com/rocec/rocec/targets/nic/ice/steps"
	mlx4 "github.com/rocec/rocec/targets/nic/mlx4/steps"
	mlx5 "github.com/rocec/rocec/targets/nic/mlx5/steps"
	rxe "github.com/rocec/rocec/targets/nic/rxe/steps"
	"github.com/rocec/rocec/targets/nic/steps"
	"github.com/rocec/rocec/targets/target"
)

var kits = []*steps.Kit{mlx5.Kit, mlx4.Kit, bnxt.Kit, rxe.Kit, ice.Kit}

// kitOf returns the kit of a driver, or nil.
func kitOf(driver string) *steps.Kit {
	if i := slices.IndexFunc(kits, func(k *steps.Kit) bool { return k.Driver == driver }); i >= 0 {
		return kits[i]
	}
	return nil
}

// agreeOn checks that the table and the kit of a driver make the same commands from a name, or that neither knows it.
func agreeOn(t require.TestingT, name string) (known bool) {
	words := strings.Split(name, " ")
	kit := kitOf(words[0])
	require.NotNil(t, kit, name)
	step, noStep := kit.Step(words[1:])
	query, noQuery := kit.Query(words[1:])
	made, err := targets.Recall(name, cellar{}.get)
	if err != nil {
		for _, err := range []error{err, noStep, noQuery} {
			var unknown *commands.Unknown
			require.ErrorAs(t, err, &unknown, "%q", name)
			require.Equal(t, name, unknown.Name)
		}
		return false
	}
	if made.Query != nil {
		require.Error(t, noStep)
		require.NoError(t, noQuery)
		require.Equal(t, made.Query, query)
		return true
	}
	require.NoError(t, noStep)
	require.Error(t, noQuery)
	is := target.StepOf(step)
	is.Disrupts, is.Outage, is.Soak, is.Away = made.Step.Disrupts, made.Step.Outage, made.Step.Soak, made.Step.Away
	require.Equal(t, *made.Step, is)
	return true
}

// TestKits: every family of the table that makes commands has a kit.
func TestKits(t *testing.T) {
	for _, row := range targets.All {
		if row.Driver != nil {
			require.Equal(t, row.Recall != nil, kitOf(row.Name) != nil, row.Name)
			require.Equal(t, row.Name, row.Driver.Name)
		}
	}
}

// TestKitsAgree: for any name, the table and the kits make the same commands.
func TestKitsAgree(t *testing.T) {
	netdev := rapid.OneOf(rapid.SampledFrom([]string{"ens1f0", "ens1f1", "a%27b%3B%24%28c%29", "roce-0", "%2E%2E", "x/y", "a b", "%41"}),
		rapid.Map(rapid.StringMatching(`[!-~]{1,16}`), commands.Spell))
	part := rapid.OneOf(
		rapid.SampledFrom([]string{
			"carries", "taken", "plain", "vlan=100", "vlan=0", "vlan=07", "bond=b%270", "bond=bond0", "vlan_ip=10.0.0.1/24", "vlan_ip=10.0.0.1",
			"vf_roce_3=on", "vf_roce_03=on", "vf_roce_3=x", "", "x", "x=y",
		}),
		rapid.StringMatching(`vlan=[0-9]{1,4}|vf_roce_[0-9]{1,6}=(on|off)|bond=[a-z0-9%]{1,16}`))
	word := rapid.Custom(func(t *rapid.T) string {
		return strings.Join(append([]string{netdev.Draw(t, "netdev")}, rapid.SliceOfN(part, 0, 4).Draw(t, "parts")...), ",")
	})
	known, unknown := 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		driver := rapid.SampledFrom(kits).Draw(rt, "kit").Driver
		verb := rapid.SampledFrom([]string{"apply", "leave", "show", "look", "held", "restore", "", "Apply"}).Draw(rt, "verb")
		if agreeOn(rt, strings.Join(append([]string{driver, verb}, rapid.SliceOfN(word, 0, 3).Draw(rt, "words")...), " ")) {
			known++
		} else {
			unknown++
		}
	})
	require.Positive(t, known)
	require.Positive(t, unknown)
	for _, k := range kits {
		for _, words := range []string{"held", "leave", "apply ens1f0", "leave ens1f0,plain ens1f1,taken", "show ens1f0", "look ens1f0,vlan=7"} {
			require.True(t, agreeOn(t, k.Driver+" "+words), words)
		}
		require.False(t, agreeOn(t, k.Driver))
		require.False(t, agreeOn(t, k.Driver+" leave"+strings.Repeat(" a", commands.MostName/2)))
	}
}

// kitFile checks that a kit makes the step and the query of a file, and permits its path and content.
func kitFile(t require.TestingT, f *target.File) {
	require.True(t, agreeOn(t, f.Activate.Name))
	permits := func(content []byte) bool {
		return slices.ContainsFunc(kits, func(k *steps.Kit) bool { return k.File(f.Path, content) == nil })
	}
	if f.Live != nil {
		require.True(t, agreeOn(t, f.Live.Name))
		require.False(t, permits(nil), f.Path)
		return
	}
	content, ds := f.Edit(nil)
	require.Empty(t, ds)
	require.True(t, permits(content), "%s\n%s", f.Path, content)
	require.True(t, permits(nil))
	if content != nil && !strings.HasPrefix(f.Path, steps.ConfDir) {
		other := bytes.Clone(content)
		other[len(other)/2] ^= 1
		require.False(t, permits(other), f.Path)
	}
}

// TestKitFiles: the kits permit every file that rocec writes on a host, and every file that it removes.
func TestKitFiles(t *testing.T) {
	hosts := func(t require.TestingT, tree *target.Tree) {
		for _, d := range tree.Devices {
			if d.Source.Host == nil {
				continue
			}
			for i := range d.Files {
				kitFile(t, &d.Files[i])
			}
			for _, l := range d.Cleanups {
				require.True(t, agreeOn(t, l.Name))
			}
		}
	}
	for _, tree := range treesOf(t) {
		hosts(t, tree)
	}
	entries, err := os.ReadDir("../examples")
	require.NoError(t, err)
	for _, e := range entries {
		j := judge.Judge(t.Context(), os.DirFS("../examples"), e.Name(), judge.Options{})
		if j.Fabric != nil && !j.Diags.HasErrors() && len(j.Fabric.Devices) <= 200 {
			hosts(t, j.Tree())
		}
	}
	rapid.Check(t, func(rt *rapid.T) {
		g := &gen{T: rt, wild: true}
		if j := judged(rt, g.fabric()); !j.Diags.HasErrors() {
			hosts(rt, j.Tree())
		}
	})
	const answer = "nic ens1f0\nnic ens1f1\n\tvlan=7\nfile /usr/local/sbin/rocec-host\nfile /etc/udev/rules.d/99-rocec-rxe.rules\n"
	for _, l := range goneHost(t) {
		made, err := targets.Recall(l.Name, cellar{}.get)
		require.NoError(t, err)
		require.Equal(t, &target.Made{Query: &l.Query}, made)
		for _, f := range l.Files([]byte(answer)) {
			kitFile(t, &f)
		}
	}
}
