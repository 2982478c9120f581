package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/rocec/rocec/lang/nodeset"
	"github.com/rocec/rocec/targets/target"
)

func TestFoldNames(t *testing.T) {
	for in, want := range map[string]string{
		"":                             "",
		"leaf01":                       "leaf01",
		"leaf01 leaf02 leaf03":         "leaf[01-03]",
		"leaf01 leaf03 leaf04 spine1":  "leaf01 leaf[03-04] spine1",
		"leaf8 leaf9 leaf10":           "leaf[8-10]",
		"leaf08 leaf09 leaf10 leaf011": "leaf[08-10] leaf011",
		"a b":                          "a b",
		"r1-n1 r1-n2 r2-n1":            "r1-n[1-2] r2-n1",
	} {
		require.Equal(t, want, foldNames(strings.Fields(in)))
	}
}

func TestFoldNumbers(t *testing.T) {
	for in, want := range map[string]string{
		"": "", "1": "1", "24,25,27,28,29": "24-25,27-29", "3,2,1": "3,2,1", "0, 1, 2": "0-2", "a,1,2": "a,1-2",
	} {
		require.Equal(t, want, foldNumbers(strings.Split(in, ",")))
	}
}

// What is folded means the names it was folded from.
func TestFoldNamesExpands(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		names := rapid.SliceOfDistinct(rapid.StringMatching(`[ab]{1,2}[0-9]{0,3}`), rapid.ID).Draw(t, "names")
		var back []string
		for item := range strings.FieldsSeq(foldNames(names)) {
			set, bad := nodeset.Parse(item, nodeset.Devices)
			require.Empty(t, bad, item)
			for n := range set.All() {
				back = append(back, n.Device)
			}
		}
		require.Equal(t, names, append([]string{}, back...))
	})
}

func TestSelectDevices(t *testing.T) {
	tree := &target.Tree{}
	for _, name := range []string{"gpu1", "gpu2", "leaf1", "leaf2", "leaf10", "spine1"} {
		d := &target.Device{Name: name, Group: strings.TrimRight(name, "0123456789"), Role: target.Switch}
		if d.Group == "gpu" {
			d.Role = target.Host
		}
		tree.Devices = append(tree.Devices, d)
	}
	for exprs, want := range map[string]string{
		"":                     "gpu1 gpu2 leaf1 leaf2 leaf10 spine1",
		"leaf1":                "leaf1",
		"leaf[1-2]":            "leaf1 leaf2",
		"leaf*":                "leaf1 leaf2 leaf10",
		"leaf?":                "leaf1 leaf2",
		"switch.leaf !leaf10":  "leaf1 leaf2",
		"!host.gpu":            "leaf1 leaf2 leaf10 spine1",
		"host.gpu spine1":      "gpu1 gpu2 spine1",
		"!leaf* leaf2 !spine1": "leaf2",
		"switch.s*":            "spine1",
		"*.gpu leaf1":          "gpu1 gpu2 leaf1",
	} {
		cut, err := selectDevices(tree, strings.Fields(exprs))
		require.NoError(t, err, exprs)
		var got []string
		for _, d := range cut.Devices {
			got = append(got, d.Name)
		}
		require.Equal(t, want, strings.Join(got, " "), exprs)
	}
	for exprs, want := range map[string]string{
		"lefa1":           `did you mean "leaf1"`,
		"switch.laef":     `did you mean "switch.leaf"`,
		"client1":         `no device "client1" that rocec writes`, // as of those with by_hand
		"x*":              "no device of that form",
		"leaf[1-":         "leaf[1-",
		"leaf1 !leaf1":    "leaves no device",
		"a[1-2000000000]": "more than a million",
	} {
		_, err := selectDevices(tree, strings.Fields(exprs))
		require.Error(t, err, exprs)
		require.Contains(t, strings.ToLower(err.Error()), strings.ToLower(want), exprs)
	}
}
