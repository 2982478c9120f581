package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/nodeset"
)

func TestAsNodesets(t *testing.T) {
	for in, want := range map[string]string{
		"leaf01":                                "leaf01",
		"leaf02 leaf01 leaf04 leaf02":           "leaf[01-02,04]",
		"leaf1 leaf01":                          "leaf[01,1]",
		"leaf08 leaf09 leaf10 leaf11":           "leaf[08-11]",
		"leaf9 leaf10 leaf11":                   "leaf[9-11]",
		"leaf98 leaf099 leaf100":                "leaf[98,099-100]",
		"p1-leaf1 p1-leaf2 p2-leaf1 p2-leaf2":   "p[1-2]-leaf[1-2]",
		"p1-leaf1 p2-leaf2":                     "p1-leaf1 p2-leaf2",
		"p1-leaf1 p1-leaf2 p2-leaf1":            "p1-leaf[1-2] p2-leaf1",
		"gpu.a gpu1.a gpu2.a":                   "gpu.a gpu[1-2].a",
		"rack-1-2":                              "rack-1-[2]",
		"rack-1-2 rack-3-4":                     "rack-1-[2] rack-3-[4]",
		"rack-1-1 rack-1-2 rack-2-1 rack-2-2":   "rack-[1-2]-[1-2]",
		"rack-1-1 rack-1-2 rack-2-7":            "rack-1-[1-2] rack-2-[7]",
		"12345678901234":                        "12345678901234",
		"a12345678901234 a12345678901235":       "a12345678901234 a12345678901235",
		"7 8 9":                                 "[7-9]",
		"spine-a spine-b":                       "spine-a spine-b",
		"leaf-0-a leaf-1-a leaf-0-b leaf-1-b x": "leaf-[0-1]-a leaf-[0-1]-b x",
	} {
		require.Equal(t, want, strings.Join(asNodesets(strings.Fields(in), nodeset.Devices), " "), in)
	}
	require.Equal(t, []string{"eth[1-2]"}, asNodesets([]string{"eth1", "eth2"}, nodeset.Interfaces))
	require.Equal(t, []string{"ens1f[0-1]", "ens2f0"}, asNodesets([]string{"ens1f0", "ens1f1", "ens2f0"}, nodeset.Interfaces))
	require.Equal(t, []string{"ens[1-2]f[0-1]"}, asNodesets([]string{"ens1f0", "ens1f1", "ens2f0", "ens2f1"}, nodeset.Interfaces))
}

// Whatever the names are, the nodesets mean exactly them.
func TestAsNodesetsMeansTheNames(t *testing.T) {
	for kind, letters := range map[nodeset.Kind]string{
		nodeset.Devices:    `[ab](([0-9]{1,3}|10)[-._]?[a]?){0,3}`,
		nodeset.Interfaces: `[aB_](([0-2]{1,2}|10)[-._+@]?[s]?){0,3}`,
	} {
		check := nodeset.CheckDevice
		if kind == nodeset.Interfaces {
			check = nodeset.CheckInterface
		}
		rapid.Check(t, func(t *rapid.T) {
			names := rapid.SliceOfN(rapid.StringMatching(letters).Filter(func(s string) bool { return check(s) == "" }), 1, 20).Draw(t, "names")
			var got []string
			for _, s := range asNodesets(names, kind) {
				set, mistakes := nodeset.Parse(s, kind)
				require.Empty(t, mistakes, s)
				for n := range set.All() {
					got = append(got, n.Device+n.Interface)
				}
			}
			slices.SortFunc(names, ir.CompareNames)
			slices.SortFunc(got, ir.CompareNames)
			require.Equal(t, slices.Compact(names), got)
		})
	}
}
