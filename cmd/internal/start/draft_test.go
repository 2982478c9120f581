package start

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/topology"
	"github.com/rocec/rocec/targets"
)

func TestRole(t *testing.T) {
	for _, c := range []struct {
		name       string
		ports      []string
		host, sure bool
	}{
		{"spine01", []string{"eth1"}, false, true},
		{"rack1-leaf2", nil, false, true},
		{"storage-leaf01", nil, false, true},
		{"leaf1-host3", nil, true, true},
		{"p1-gpu2", []string{"swp1"}, true, true},
		{"sw1.example.net", nil, false, true},
		{"dgx-01", []string{"ib0", "ib1", "ib2", "ib3"}, true, true},
		{"alpha", []string{"eth1"}, true, false},
		{"alpha", []string{"enp5s0", "ens1f0np0"}, true, false},
		{"alpha", []string{"eth1", "eth2", "eth3"}, false, false},
		{"alpha", []string{"eth1", "swp1"}, false, false},
		{"alpha", []string{"e1-1"}, false, false},
		{"swelling", []string{"eth0"}, true, false},
	} {
		host, sure := (&draft{known: targets.Known}).role(&draftDevice{name: c.name, ports: c.ports})
		require.Equal(t, c.host, host, c.name)
		require.Equal(t, c.sure, sure, c.name)
	}
}

func TestSwitchModel(t *testing.T) {
	for _, c := range []struct {
		ports []string
		speed int
		want  string
	}{
		{[]string{"swp1", "swp32"}, 0, "sn2700"},
		{[]string{"swp1s0", "swp1s3"}, 25_000, "sn2700"},
		{[]string{"swp1", "swp51"}, 100_000, "sn2410"},
		{[]string{"swp1", "swp64"}, 0, "sn4600c"},
		{[]string{"swp1"}, 200_000, "sn3700"},
		{[]string{"swp1", "swp33"}, 200_000, "sn4600"},
		{[]string{"swp1"}, 400_000, "sn4700"},
		{[]string{"swp40"}, 400_000, "sn5600"},
		{[]string{"Ethernet1"}, 0, "sn2700"},
	} {
		require.Equal(t, c.want, (&draft{known: targets.Known}).switchModel(c.ports, c.speed), c.ports)
	}
	d := &draft{known: targets.Known}
	require.Equal(t, "connectx-5", d.nicModel(0))
	require.Equal(t, "connectx-6", d.nicModel(200_000))
	require.Equal(t, "connectx-7", d.nicModel(400_000))
}

// Devices that nobody has names for, and hosts with other ports, still make labels that are told apart.
func TestDraftGroups(t *testing.T) {
	var ds diag.List
	edges, _ := topology.Read("csv", "cables", []byte("a,b\n1:eth0,2:eth0\ngpu1:eth0,sw1:swp1\ngpu2:eth1,sw1:swp2\na-very-long-name-of-a-switch-that-goes-on1:swp1,sw1:swp3\n"), 10)
	d := newDraft(edges, targets.Known, &ds)
	require.Empty(t, ds)
	var labels []string
	for _, g := range d.groups {
		labels = append(labels, g.label)
	}
	require.Equal(t, []string{"a-very-long-name-of-a-sw", "sw", "device", "gpu", "gpu-2"}, labels)
}

// What lies outside of the fabric is written as globs, in which no letter can do harm.
func TestDraftIgnores(t *testing.T) {
	var ds diag.List
	edges, _ := topology.Read("ptm", "cables", []byte(`graph g { "OOB-${x}":"p" -- "a1":"swp1"; "a1":"swp2" -- "b1":"eth1" }`), 10)
	d := newDraft(edges, targets.Known, &ds)
	require.Empty(t, ds)
	require.Equal(t, []string{"???-??x?"}, d.ignored)
}
