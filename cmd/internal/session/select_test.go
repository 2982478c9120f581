package session

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/targets/target"
)

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
		"switch.leaf,host.gpu": "gpu1 gpu2 leaf1 leaf2 leaf10",
		"leaf[1,10],sp*":       "leaf1 leaf10 spine1",
		"!leaf[1-2],switch.s*": "gpu1 gpu2 leaf10",
	} {
		cut, err := SelectDevices(tree, strings.Fields(exprs))
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
		"client1":         `no device "client1" that rocec writes`, // such as devices with by_hand
		"x*":              "no device matches x*",
		"leaf1,switch.x":  `switch.x: the fabric has no device`,
		"leaf[1-":         "leaf[1-",
		"leaf1 !leaf1":    "selects no device",
		"a[1-2000000000]": "more than a million",
	} {
		_, err := SelectDevices(tree, strings.Fields(exprs))
		require.Error(t, err, exprs)
		require.Contains(t, strings.ToLower(err.Error()), strings.ToLower(want), exprs)
	}
}
